// Covers the options of all commands of allot-program.ts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command, Option } from 'commander'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runProgram } from './allot-program.ts'
import { allotProgram } from './program.ts'

interface Flag {
  readonly words: readonly string[]
  readonly option: Option
}

const CONTEXT = { out: () => undefined, err: () => undefined, environment: {}, stop: AbortSignal.abort() }
/** `version` has no flags. */
const COMMANDS = allotProgram(CONTEXT).commands.filter((command) => command.name() !== 'version')
/** Every flag of every command that takes a value. */
const FLAGS = COMMANDS.flatMap((command) => flagsOf(command, []))

function flagsOf(command: Command, before: readonly string[]): readonly Flag[] {
  const words = [...before, command.name()]
  return [
    ...command.options.filter(({ required }) => required).map((option) => ({ words, option })),
    ...command.commands.flatMap((one) => flagsOf(one, words)),
  ]
}

async function run(argv: readonly string[]) {
  let out = ''
  let err = ''
  const code = await runProgram(argv, { ...CONTEXT, out: (text) => (out += text), err: (text) => (err += text) })
  return { code, out, err }
}

/** No flag takes any of these but those that say so below. */
const NONSENSE = [
  '| |,|-|-1|0|007|20|101|0x10|1e3|1_000|1.5|٣|NaN|99999999999',
  '1,5|20,,30|%|20%|20 %|-20%|1.5%|5|5 s|5S|0s|1ns|-5s|25h|1.31.x',
  'x y|a|a_b|UPPER|.a|a..b|../x|a/b|a/b/c|a/b:0|a/b:080|a:80|http://a:1',
  'https:a|https://|https://a:0|https://a:99999|https://u@a:1|https://a/?b| https://a:1',
  '999.1.1.1|[1.2.3.4]|10.0.0.0/33|10.0.0.0|fd00::/64,|claims,|v1|a/v0',
].flatMap((line) => line.split('|'))

const words = ['a', '20', '5', '0', '007', '101', '1e3', '0x10', '99999999999']
const anything = NONSENSE.filter((value) => value.trim() !== '')
/** Values of the list that mean something, by flag. */
const TAKEN: Readonly<Record<string, readonly string[]>> = {
  '--context': anything,
  '--host': ['a', 'a_b', 'UPPER', '0x10', '1e3', '25h', '0s', '5S', '1ns', '1_000', 'v1', 'NaN', '10.0.0.0', '1.31.x'],
  '--webhook-port': ['0', '20', '101', '5'],
  '--dashboard-port': ['0', '20', '101', '5'],
  '--webhook-timeout': ['20', '5'],
  '--workers': ['20', '101', '5'],
  '--warn-at': ['', ' ', '20', '5', '1,5'],
  '--shutdown-delay-duration': ['0', '0s'],
  '--apiserver-request-timeout': [],
  '--system-namespace': [...words, '0s', '1ns', '25h', 'v1'],
  '--quota-service-config': [...words, '0s', '1ns', '25h', '1.5', '1.31.x', '10.0.0.0', '999.1.1.1', 'v1'],
  '--webhook-service': ['a/b', 'a/v0'],
  '--tenants-may-create': ['', ' '],
  '--headroom': ['20%'],
  '--assume-version': ['1.5'],
}
const LIKE: Readonly<Record<string, string>> = {
  '--webhook-host': '--host',
  '--metrics-host': '--host',
  '--health-host': '--host',
  '--port': '--webhook-port',
  '--metrics-port': '--webhook-port',
  '--health-port': '--webhook-port',
  '--qps': '--workers',
  '--burst': '--workers',
  '--custom-quotas-per-namespace': '--workers',
  '--custom-quota-sources': '--workers',
  '--custom-quota-selectors': '--workers',
  '--custom-quota-expressions': '--workers',
  '--namespace': '--system-namespace',
  '--peer-namespace': '--system-namespace',
  '--leader-elect-lease-duration': '--shutdown-delay-duration',
  '--leader-elect-renew-deadline': '--shutdown-delay-duration',
  '--leader-elect-retry-period': '--shutdown-delay-duration',
}

function takenBy({ option: { long, flags } }: Flag): readonly string[] {
  if (/<(?:file|directory)>/.test(flags)) return anything
  return TAKEN[LIKE[long ?? ''] ?? long ?? ''] ?? []
}

const titled = (flags: readonly Flag[]) =>
  flags.map((flag) => [`${flag.words.join(' ')} ${flag.option.long ?? ''}`, flag] as const)

/** Flags with which a value that is taken by mistake starts nothing. */
const harmless = ([name = '']: readonly string[]): readonly string[] =>
  name === 'up' ? ['--data-dir', '/dev/null/nowhere'] : []

test('there are flags of every command', () => {
  expect(new Set(FLAGS.map(({ words: [name] }) => name)).size).toBe(COMMANDS.length)
  expect(FLAGS.length).toBeGreaterThan(70)
})

test.each(titled(FLAGS))(
  '%s refuses a value that means nothing in one line with the flag, the value and what is allowed',
  async (_, flag) => {
    const { option, words: named } = flag
    const taken = takenBy(flag)
    for (const value of NONSENSE.filter((one) => !taken.includes(one))) {
      const { code, out, err } = await run([
        ...named,
        ...harmless(named),
        ...(value === '' ? [option.long ?? '', ''] : [`${option.long}=${value}`]),
      ])
      const head = `error: option '${option.flags}' argument '${value}' is invalid. `
      expect([code, out, err.startsWith(head)], `${option.long}=${value}: ${err}`).toEqual([2, '', true])
      expect(err.slice(head.length)).toMatch(/^(?:It must (?:be .+|not be empty)|Allowed choices are .+)\.\n$/)
    }
  },
)

const folder = { path: '' }
beforeAll(() => {
  folder.path = mkdtempSync(join(tmpdir(), 'allot-files-'))
  const kubeconfig = {
    clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'a', user: { token: 'x' } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    'current-context': 'a',
  }
  writeFileSync(join(folder.path, 'kubeconfig'), JSON.stringify(kubeconfig))
  const spec = {
    quota: { hard: { pods: '1' } },
    selector: { labels: { matchLabels: { a: 'b' } } },
    hard: { pods: '1' },
  }
  const manifest = (apiVersion: string, kind: string) => ({
    apiVersion,
    kind,
    metadata: { name: 'q', namespace: 'n' },
    spec,
  })
  writeFileSync(join(folder.path, 'crq'), JSON.stringify(manifest('quota.openshift.io/v1', 'ClusterResourceQuota')))
  writeFileSync(
    join(folder.path, 'hrq'),
    JSON.stringify(manifest('hnc.x-k8s.io/v1alpha2', 'HierarchicalResourceQuota')),
  )
})
afterAll(() => rmSync(folder.path, { recursive: true }))

/** The files that commands write. */
const WRITTEN = [
  'up --kubeconfig',
  'migrate crq --report',
  'migrate hrq --report',
  'test --junit',
  'doctor --support-bundle',
]
/** Flags without which another is refused. */
const WITH: Readonly<Record<string, readonly string[]>> = {
  '--tls-cert': ['--tls-key', 'FILE'],
  '--tls-key': ['--tls-cert', 'KNOWN'],
  '--tls-ca': ['--tls-cert', 'KNOWN', '--tls-key', 'KNOWN'],
}

/** Words without which a command makes no sense. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  'explain --kubeconfig': ['deployment', 'web'],
  'simulate --quota-definitions': ['--filename', 'MANIFEST'],
  'simulate --kubeconfig': ['--filename', 'MANIFEST'],
  'simulate --state': ['--filename', 'MANIFEST'],
  'test --kubeconfig': ['--init'],
}

const READ = titled(FLAGS.filter(({ option }) => option.flags.includes('<file>'))).filter(
  ([title]) => !WRITTEN.includes(title),
)

test.each(READ)(
  '%s names a file that does not exist in one sentence, with the flag',
  async (title, { words: named, option }) => {
    const at = (name: string): string => join(folder.path, name)
    const [missing, known, manifest] = [at('missing'), at('kubeconfig'), at('crq')]
    const place = (text: string): string =>
      text.replace('FILE', missing).replace('KNOWN', known).replace('MANIFEST', manifest)
    const flag = option.long ?? ''
    const base: readonly string[] =
      named[0] === 'up'
        ? ['--data-dir', join(folder.path, 'data')]
        : named[0] === 'run' && flag !== '--kubeconfig'
          ? ['--kubeconfig', known]
          : []
    const files = ['crq', 'hrq'].filter((one) => one === named[1]).map((one) => join(folder.path, one))
    const { code, out, err } = await run([
      ...named,
      flag,
      missing,
      ...(WITH[flag] ?? []).map(place),
      ...(BESIDE[title] ?? []).map(place),
      ...base,
      ...files,
    ])
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^[^;\n]+; [^\n]+\n$/)
    expect(err).toContain(`cannot read ${missing} (from ${flag}): it does not exist; `)
  },
)
