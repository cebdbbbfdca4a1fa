import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { shellWord } from './shell-word.ts'

const WORDS = [
  'deployment/web',
  '/home/me/.kube/a,b',
  'a b',
  "it's",
  '$HOME',
  '`id`',
  'a;b',
  '{"x":1}',
  '',
  'a\nb',
  '~',
]

test('a shell reads each quoted word as the text that it stands for, whatever is in it', () => {
  const read = WORDS.map((word) =>
    execFileSync('/bin/sh', ['-c', `printf '%s' ${shellWord(word)}`], { encoding: 'utf8' }),
  )
  expect(read).toEqual(WORDS)
})

test('a word that a shell leaves alone is not quoted', () => {
  expect(shellWord('/home/me/.kube/config')).toBe('/home/me/.kube/config')
})
