import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from './document-shell.ts'

const FOLDERS = ['docs', 'examples', 'config', 'src']
const IN_ROOT = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md']

const files = [
  ...IN_ROOT,
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
]
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** What is fenced or in backticks is no link and no heading. */
const withoutCode = (text: string): string => text.replaceAll(/^```[^]*?^```$/gm, '')

/** The anchors of the headings of a page, as GitHub makes them. */
function anchorsOf(file: string): ReadonlySet<string> {
  const headings = [...withoutCode(read(file)).matchAll(/^#{1,6} (.*)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return new Set(headings)
}

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile()

test('the sweep reads the pages of the README, the documents, the examples and the rooms', () => {
  expect(files.length).toBeGreaterThan(150)
})

test.each(files)('%s links only files and headings that there are', (file) => {
  const links = [...withoutCode(read(file)).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?[^)]*\)/g)]
  const broken = links.flatMap(([, path = '', anchor]) => {
    const target = path === '' ? file : normalize(join(file, '..', path))
    if (!existsSync(join(ROOT, target))) return [path]
    const isLost = anchor !== undefined && isFile(join(ROOT, target)) && !anchorsOf(target).has(anchor)
    return isLost ? [`${path}#${anchor}`] : []
  })
  expect(broken).toEqual([])
})
