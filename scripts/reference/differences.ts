import { readFileSync } from 'node:fs'
import { code, sentence } from './markdown.ts'

/** A case of the original that allot answers otherwise on purpose. */
interface Difference {
  readonly file: string
  readonly name: string
  readonly reason: string
}

const DIFFERENCES = new URL('../../test/differences.json', import.meta.url)
const BEGIN = '<!-- differences: generated from test/differences.json by scripts/generate-reference.ts -->\n'
const END = '<!-- end of differences -->'

/** The page of each system, with the files whose cases are those of its original. */
const SYSTEMS: Readonly<Record<string, readonly string[]>> = {
  'resource-quota.md': ['kubernetes/admission.json', 'kubernetes/kubectl-output.json'],
  'resource-pools.md': ['golden/pools-metrics.json'],
  'custom-quotas.md': ['kubernetes/jsonpath.json', 'capsule/', 'golden/custom-quotas-metrics.json'],
  'quota-increases.md': ['increases.json'],
  'karmada-quotas.md': ['karmada.json'],
}

/** The pages of the systems, each with the differences of its original between the marks. Throws where a difference is of no system. */
export function systemPages(read: (name: string) => string): Readonly<Record<string, string>> {
  const all = JSON.parse(readFileSync(DIFFERENCES, 'utf8')) as readonly Difference[]
  const isOf = ({ file }: Difference, files: readonly string[]): boolean => files.some((one) => file.startsWith(one))
  const left = all.filter((one) => !Object.values(SYSTEMS).some((files) => isOf(one, files)))
  if (left.length > 0) throw new Error(`no page of docs/systems has these: ${left.map(({ file }) => file).join(', ')}`)
  return Object.fromEntries(
    Object.entries(SYSTEMS).map(([name, files]) => [
      name,
      withDifferences(
        read(name),
        name,
        all.filter((one) => isOf(one, files)),
      ),
    ]),
  )
}

function withDifferences(page: string, name: string, differences: readonly Difference[]): string {
  const [before, rest = ''] = page.split(BEGIN)
  const [, after] = rest.split(END)
  if (before === undefined || after === undefined)
    throw new Error(`docs/systems/${name} has no place for the differences`)
  const cases = Map.groupBy(differences, ({ reason }) => reason)
  const points = [...cases].map(([reason, all]) => `- ${sentence(reason)}${casesText(all)}\n`)
  return `${before}${BEGIN}\n${points.join('')}\n${END}${after}`
}

/** A few names say what is meant; the file has all. */
const MOST_NAMED = 2

function casesText(all: readonly Difference[]): string {
  const named = all.slice(0, MOST_NAMED).map(({ name }) => code(name.replaceAll('`', "'")))
  const more = all.length > MOST_NAMED ? `, and ${all.length - MOST_NAMED} more` : ''
  return ` (${named.join(', ')}${more})`
}
