// Covers docs/troubleshooting.md, and the commands of allot that pages name.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from './document-shell.ts'

const TREE = 'docs/troubleshooting.md'
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** A point of the tree, with how far it is indented. */
interface Point {
  readonly depth: number
  readonly text: string
}

const points = read(TREE)
  .split('\n')
  .flatMap((line): readonly Point[] => {
    const [, indent, text] = /^( *)- (.*)$/.exec(line) ?? []
    return indent === undefined || text === undefined ? [] : [{ depth: indent.length, text }]
  })
const leaves = points.filter(({ depth }, at) => (points[at + 1]?.depth ?? 0) <= depth)

/** Where a way through the tree may end: a command that explains the rest, a runbook, a task, or another question. */
const ENDS = /`allot (?:explain|doctor|top)\b|\]\((?:runbooks|tasks)\/|\]\(#\d-|: nothing is wrong\.$/

describe('the decision tree of troubleshooting', () => {
  test('has many ways, and each ends in a command that explains, a runbook, a task or a further question [33/troubleshooting]', () => {
    expect(leaves.length).toBeGreaterThan(25)
    expect(leaves.filter(({ text }) => !ENDS.test(text))).toEqual([])
  })

  test('leads from its first question to each other question [33/troubleshooting]', () => {
    const [, ...questions] = [...read(TREE).matchAll(/^## (\d)\. /gm)].map(([, number = '']) => number)
    const first = read(TREE).split(/^## /m)[1] ?? ''
    expect([...first.matchAll(/\]\(#(\d)-/g)].map(([, number]) => number)).toEqual(questions)
  })

  test.each(['README.md', 'docs/README.md', 'docs/runbooks/README.md', 'docs/quick-start.md'])(
    'is linked from %s [33/troubleshooting]',
    (file) => {
      expect(read(file)).toMatch(/\]\((?:docs\/|\.\.\/)?troubleshooting\.md\)/)
    },
  )
})

/** The flags of each command, with those of its own commands. */
const commands = new Map(
  read('docs/reference/flags.md')
    .split('\n## allot ')
    .slice(1)
    .map((section): readonly [string, ReadonlySet<string>] => [
      section.split('\n', 1)[0] ?? '',
      new Set(section.match(/(?<=^\| `.*)-{1,2}[a-zA-Z][\w-]*/gm)),
    ]),
)
const pages = ['README.md', 'SECURITY.md', 'docs/quick-start.md', TREE].concat(
  ['docs/concepts', 'docs/systems', 'docs/tasks', 'docs/runbooks', 'docs/reference'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
  ),
)

test.each(pages)('%s names only commands and flags that allot has [33/commands]', (page) => {
  const named = [...read(page).matchAll(/`(?:kubectl )?allot ([a-z][^`\n]*)`/g)].map(
    ([, text = '']) => text.split(' |')[0] ?? '',
  )
  const unknown = named.filter((text) => {
    const [verb = '', next = ''] = text.split(/[ =]/)
    const flags = commands.get(`${verb} ${next}`) ?? commands.get(verb)
    return flags === undefined || (text.match(/(?<= )--[\w-]+/g) ?? []).some((flag) => !flags.has(flag))
  })
  expect(unknown).toEqual([])
})
