import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../start-allot.ts'

const LIBRARY = new URL('../../src/sdk/index.ts', import.meta.url).href
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const text = readFileSync(new URL('../../docs/reference/sdk.md', import.meta.url), 'utf8')
const programs = [...text.matchAll(/^## (.*)$(?:(?!^## )[^])*?^```ts\n([^]*?)^```\n\n```text\n([^]*?)^```$/gm)]

test.each(programs.map(([, title = '', program = '', output = '']) => ({ title, program, output })))(
  'the program under “$title” prints what the document shows',
  ({ program, output }) => {
    const file = join(temporaryDirectory(), 'program.mts')
    writeFileSync(file, program.replaceAll("from 'allot'", `from ${JSON.stringify(LIBRARY)}`))
    expect(execFileSync(process.execPath, [file], { encoding: 'utf8' })).toBe(output)
  },
)

test('the programs of the document are TypeScript that compiles, as strictly as a project may ask', () => {
  const folder = temporaryDirectory()
  const files = programs.map(([, , program = ''], index) => {
    const file = join(folder, `program${index}.mts`)
    writeFileSync(file, program.replaceAll("from 'allot'", `from ${JSON.stringify(fileURLToPath(LIBRARY))}`))
    return file
  })
  const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')]
  const flags = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions']
  const target = ['--target', 'es2024', '--lib', 'es2024,esnext', '--module', 'nodenext']
  const compiler = join(ROOT, 'node_modules/.bin/tsc')
  expect(spawnSync(compiler, [...flags, ...target, ...types, ...files], { encoding: 'utf8' }).stdout).toBe('')
})

test('every program of the document was run', () => {
  expect(programs).toHaveLength(text.split('```ts').length - 1)
})

test('the document names every function that the library exports', async () => {
  const exported = Object.keys((await import(LIBRARY)) as object)
  const lists = new Set(Object.keys(await import('../../src/quantity/resource-list.ts')))
  const missing = exported.filter((name) => !lists.has(name) && !name.endsWith('Error') && !text.includes(`\`${name}`))
  expect(missing).toEqual([])
})
