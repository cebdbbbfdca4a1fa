import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../start-allot.ts'

const LIBRARY = new URL('../../src/sdk/index.ts', import.meta.url).href
const text = readFileSync(new URL('../../docs/reference/sdk.md', import.meta.url), 'utf8')
const programs = [...text.matchAll(/^## (.*)$(?:(?!^## )[^])*?^```js\n([^]*?)^```\n\n```text\n([^]*?)^```$/gm)]

test.each(programs.map(([, title = '', program = '', output = '']) => ({ title, program, output })))(
  'the program under “$title” prints what the document shows',
  ({ program, output }) => {
    const file = join(temporaryDirectory(), 'program.mjs')
    writeFileSync(file, program.replaceAll("from 'allot'", `from ${JSON.stringify(LIBRARY)}`))
    expect(execFileSync(process.execPath, [file], { encoding: 'utf8' })).toBe(output)
  },
)

test('every program of the document was run', () => {
  expect(programs).toHaveLength(text.split('```js').length - 1)
})

test('the document names every function that the library exports', async () => {
  const exported = Object.keys((await import(LIBRARY)) as object)
  const lists = new Set(Object.keys(await import('../../src/quantity/resource-list.ts')))
  const missing = exported.filter((name) => !lists.has(name) && !name.endsWith('Error') && !text.includes(`\`${name}`))
  expect(missing).toEqual([])
})
