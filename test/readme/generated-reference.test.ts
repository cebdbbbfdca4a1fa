// Covers docs/reference: pages that are written by hand agree with those that the code writes.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from './document-shell.ts'

const FOLDER = 'docs/reference'
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const page = (name: string): string => read(`${FOLDER}/${name}`)

/** The rows of all tables of a page, each with its cells. */
const rowsOf = (text: string): readonly (readonly string[])[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))

/** What stands in backticks in a cell. */
const codesIn = (cell = ''): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)

describe('the reference of metrics that is written by hand', () => {
  const generated = new Map(
    rowsOf(page('all-metrics.md')).map(([, name, , labels]) => [codesIn(name)[0] ?? '', codesIn(labels)]),
  )
  const rows = rowsOf(page('metrics.md'))
  const named = rows.flatMap(([, names]) => codesIn(names))

  test('names every metric, and none that there is not [33/reference]', () => {
    expect(generated.size).toBeGreaterThan(50)
    expect(named.filter((name) => !generated.has(name))).toEqual([])
    expect([...generated.keys()].filter((name) => !named.includes(name))).toEqual([])
  })

  test('names each label of a metric [33/reference]', () => {
    const lacking = rows.flatMap((row) => {
      const said = codesIn(row.join('|'))
      return codesIn(row[1]).flatMap((name) =>
        (generated.get(name) ?? []).filter((label) => !said.includes(label)).map((label) => `${name}: ${label}`),
      )
    })
    expect(lacking).toEqual([])
  })
})

describe('the pages of commands that are written by hand', () => {
  /** The flags of each command, with those of its own commands. */
  const flagsOf = (command: string): ReadonlySet<string> =>
    new Set(
      page('flags.md')
        .split('\n## ')
        .filter((section) => section.startsWith(`allot ${command}`))
        .flatMap(rowsOf)
        .flatMap(([, flag]) => flag?.match(/--[\w-]+/g) ?? []),
    )
  const pages = readdirSync(join(ROOT, FOLDER)).filter((name) => name.startsWith('allot-'))

  test.each(pages)('%s has no flag in a table that the command has not [33/reference]', (name) => {
    const known = flagsOf(name.slice('allot-'.length, -'.md'.length))
    expect(known.size).toBeGreaterThan(0)
    const named = rowsOf(page(name)).flatMap(([, first]) => first?.match(/^`--[\w-]+/g) ?? [])
    expect(named.filter((flag) => !known.has(flag.slice(1)))).toEqual([])
  })
})

describe('the page of each system', () => {
  const systems = readdirSync(join(ROOT, 'docs/systems'))

  test('is one of those that the README and the documentation list [33/systems]', () => {
    expect(systems).toHaveLength(5)
    for (const name of systems) {
      expect(read('README.md')).toContain(`](docs/systems/${name})`)
      expect(read('docs/README.md')).toContain(`](systems/${name})`)
    }
  })

  test.each(systems)(
    '%s says what the system is, how to move from the original, and what differs [33/systems]',
    (name) => {
      const headings = [...read(`docs/systems/${name}`).matchAll(/^## (.*)$/gm)].map(([, text]) => text)
      expect(headings).toEqual([
        'What it is',
        'Move from the original',
        'What differs',
        'What tests of the original expect otherwise',
      ])
    },
  )

  test('together they name every reason for which a case of an original is answered otherwise [33/systems]', () => {
    const differences = JSON.parse(read('test/differences.json')) as readonly { readonly reason: string }[]
    const text = systems.map((name) => read(`docs/systems/${name}`).toLowerCase()).join('\n')
    expect(differences.filter(({ reason }) => !text.includes(reason.toLowerCase()))).toEqual([])
  })
})

test('the reference of conditions has each reason for which a claim waits, and the concept has each of them [33/reference]', () => {
  const [, section = ''] = read('docs/concepts/resource-pools.md').split('## What a claim waits for')
  const explained = rowsOf(section.split('\n## ')[0] ?? '').flatMap(([, reason]) => codesIn(reason))
  const [, claim = ''] = page('conditions.md').split('## ResourcePoolClaim')
  const [, reconciling = ''] = claim.split('### Reconciling')
  const rows = (reconciling.split('\n#')[0] ?? '').split('\n').filter((line) => line.startsWith('| True'))
  const generated = rows.flatMap((line) => codesIn(line.split('|')[2]))
  // These two are no reasons to wait: the pool has yet to decide, or workloads hold the claim.
  const passing = ['PoolInUse', 'PoolDecides']
  expect(generated.filter((reason) => !passing.includes(reason)).toSorted()).toEqual(explained.toSorted())
})
