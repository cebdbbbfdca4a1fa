import { join, resolve } from 'node:path'
import { PROGRAM } from '../../test/start-allot.ts'

/** An older checkout and this one, with the program of each: those that a benchmark compares. */
export interface Checkout {
  readonly name: 'before' | 'after'
  readonly program: string
}

/** The older checkout, whose folder is the first argument of the benchmark, and this one. Throws where the argument is missing. */
export function twoCheckouts(): readonly [older: Checkout, own: Checkout] {
  const [, script, folder] = process.argv
  if (folder === undefined) throw new Error(`name the folder of the older checkout: node ${script} DIR`)
  return [
    { name: 'before', program: join(resolve(folder), 'bin/allot.js') },
    { name: 'after', program: PROGRAM },
  ]
}
