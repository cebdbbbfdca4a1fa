import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command, Option } from 'commander'
import { describe, expect, test } from 'vitest'
import { runProgram } from './allot-program.ts'
import { runCommand } from './run/command.ts'
import { upCommand } from './up/command.ts'

async function run(...argv: readonly string[]) {
  let out = ''
  let err = ''
  const code = await runProgram(argv, {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    environment: {},
    stop: AbortSignal.abort(),
  })
  return { code, out, err }
}

describe('the command line', () => {
  test('prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    for (const way of ['--version', '-V', 'version'])
      expect(await run(way)).toEqual({ code: 0, out: `${version}\n`, err: '' })
  })

  test('explains itself when asked', async () => {
    expect(await run('--help')).toMatchObject({ code: 0, out: expect.stringContaining('up [options]'), err: '' })
    expect(await run('up', '--help')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/--in-memory[^]*Examples/),
      err: '',
    })
  })

  test('says in a line that it was interrupted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'allot-interrupted-'))
    const file = join(folder, 'kubeconfig')
    const named = (name: string, one: string): string => `{name: a, ${name}: ${one}}`
    writeFileSync(
      file,
      `apiVersion: v1
kind: Config
clusters: [${named('cluster', '{server: "https://127.0.0.1:1"}')}]
users: [${named('user', '{token: x}')}]
contexts: [${named('context', '{cluster: a, user: a}')}]
current-context: a
`,
    )
    const { code, out, err } = await run('uninstall', '--kubeconfig', file)
    rmSync(folder, { recursive: true })
    expect([code, out, err]).toEqual([1, '', 'it was interrupted: what was done stays done\n'])
  })

  test('without a command says which there are, as a misuse', async () => {
    expect(await run()).toMatchObject({ code: 2, out: '', err: expect.stringContaining('up [options]') })
  })

  test.each([
    [['upp'], /^error: unknown command 'upp'.*\n$/],
    [['up', '--prot', '1'], /^error: unknown option '--prot'.*\n$/],
    [
      ['up', '--port', 'x'],
      /^error: option '--port <number>' argument 'x' is invalid\. It must be a number from 0 to 65535\.\n$/,
    ],
    [['up', '--port', '65536'], /^error: .*65536.*\n$/],
    [['up', '--port=-1'], /^error: .*-1.*\n$/],
    [['up', '--port'], /^error: .*argument missing\n$/],
    [['up', '--host', 'https://x'], /^error: .*host name or an IP address.*\n$/],
    [['up', '--host', ''], /^error: .*host name or an IP address.*\n$/],
    [['up', '--data-dir', ''], /^error: .*must not be empty.*\n$/],
    [['up', '--log-level', 'loud'], /^error: .*debug, info, warn, error, silent.*\n$/],
    [
      ['run', '--shutdown-delay-duration', '3'],
      /^error: .*argument '3' is invalid\. It must be a duration from 0s to 24h .*\n$/,
    ],
    [['up', '--webhook-timeout', '0'], /^error: .*whole number of seconds from 1 to 30.*\n$/],
    [['run', '--webhook-timeout', '31'], /^error: .*whole number of seconds from 1 to 30.*\n$/],
    [['run', '--webhook-peers', '10.0.0.0/24,10.0.0.1'], /^error: .*CIDRs separated by commas.*\n$/],
    [['run', '--webhook-timeout', '10s'], /^error: .*whole number of seconds from 1 to 30.*\n$/],
    [['up', '--leader-elect-lease-duration', '-1s'], /^error: .*duration from 0s to 24h.*\n$/],
    [['up', 'now'], /^error: too many arguments.*\n$/],
  ])('refuses %j in one line and with exit code 2', async (argv, message) => {
    expect(await run(...argv)).toEqual({ code: 2, out: '', err: expect.stringMatching(message) })
  })

  test.each([
    [
      ['run', '--leader-elect-lease-duration', '1s'],
      '--leader-elect-lease-duration (1s) must be longer than --leader-elect-renew-deadline (10s)',
    ],
    [
      ['up', '--leader-elect-renew-deadline', '2s'],
      '--leader-elect-renew-deadline (2s) must be longer than 1.2 times --leader-elect-retry-period (2s)',
    ],
    [['up', '--leader-elect-retry-period', '0s'], '--leader-elect-retry-period must be at least 1ms'],
    [
      ['up', '--leader-elect-lease-duration', '999ms', '--leader-elect-renew-deadline', '10ms'],
      '--leader-elect-lease-duration must be at least 1s, because a Lease counts in seconds',
    ],
    [['up', '--tls-cert', 'c'], '--tls-cert cannot be used without --tls-key'],
    [['run', '--tls-key', 'k'], '--tls-key cannot be used without --tls-cert'],
    [['run', '--tls-ca', 'a'], '--tls-ca cannot be used without --tls-cert and --tls-key'],
    [
      ['up', '--in-memory', '--accept-lost-writes'],
      '--accept-lost-writes cannot be used with --in-memory, which keeps no writes',
    ],
    [['up', '--webhook-port', '6443'], '--webhook-port must be another port than --port (6443)'],
    [['up', '--health-port', '6443', '--host', '0.0.0.0'], '--health-port must be another port than --port (6443)'],
    [
      ['run', '--webhook-port', '9443', '--metrics-port', '9443'],
      '--metrics-port must be another port than --webhook-port (9443)',
    ],
    [
      ['run', '--metrics-auth', '--metrics-port', '8080', '--health-port', '8080'],
      '--health-port must be another port than --metrics-port (8080)',
    ],
    [['up', '--no-dashboard', '--dashboard-port', '1'], '--dashboard-port cannot be used with --no-dashboard'],
    [['run', '--dashboard-port', '1'], '--dashboard-port cannot be used without --dashboard'],
    [['up', '--no-operator', '--dashboard-port', '6443'], '--dashboard-port must be another port than --port (6443)'],
    [
      ['run', '--dashboard', '--dashboard-port', '8080', '--health-port', '8080'],
      '--health-port must be another port than --dashboard-port (8080)',
    ],
    [
      ['run', '--webhook-url', 'https://a', '--webhook-service', 'a/b'],
      "option '--webhook-url <url>' cannot be used with option '--webhook-service <namespace/name>'",
    ],
    [
      ['run', '--quota-definitions', 'f', '--quota-service-config', 'c'],
      "option '--quota-definitions <file>' cannot be used with option '--quota-service-config <name>'",
    ],
  ])('refuses %j, flags that contradict each other, in one line and with exit code 2', async (argv, message) => {
    expect(await run(...argv)).toEqual({ code: 2, out: '', err: `error: ${message}\n` })
  })

  test('refuses each flag of the operator with --no-operator, also the next one that is added', async () => {
    const context = { out: () => undefined, err: () => undefined, environment: {}, stop: AbortSignal.abort() }
    const given = (command: Command, name: string): Option | undefined =>
      command.options.find(({ long }) => long === name)
    const up = upCommand(context)
    // Flags that both commands have are the operator's; the addresses of its ports are one flag in `allot run`.
    const shared = runCommand(context).options.filter(({ long }) => given(up, long ?? '') !== undefined)
    const ofServer = ['--kubeconfig', '--host', '--log-level', '--warn-at', '--dashboard-port']
    const ofOperator = shared.filter(({ long }) => !ofServer.includes(long ?? ''))
    const names = [...ofOperator.map(({ long }) => long ?? ''), '--webhook-host', '--metrics-host', '--health-host']
    expect(names).toContain('--quota-definitions')
    for (const name of names) {
      const option = given(up, name)
      const values =
        option?.required === true
          ? ['x', '1', '1s', 'https://a:1', 'a/b', '127.0.0.1', '10.0.0.0/8', ...(option.argChoices ?? [])]
          : ['']
      const answers = await Promise.all(
        values.map((value) => run('up', '--no-operator', name, ...(value === '' ? [] : [value]))),
      )
      const message = `error: ${name} cannot be used with --no-operator\n`
      expect(
        answers.find(({ err }) => !err.includes('is invalid')),
        name,
      ).toEqual({ code: 2, out: '', err: message })
    }
    const both = await run('up', '--no-operator', '--workers', '1', '--quota-definitions', 'f')
    expect(both.err).toMatch(/^error: --\S+, --\S+ cannot be used with --no-operator\n$/)
  })

  test.each([
    ['run', '--metrics-port', '8080', '--health-port', '8080'],
    ['run', '--no-leader-elect', '--leader-elect-lease-duration', '1s'],
    ['up', '--host', '127.0.0.2', '--webhook-port', '6443'],
  ])('flags that do not contradict each other are taken: %s %s %s %s', async (...argv) => {
    const nowhere = argv[0] === 'up' ? ['--data-dir', '/dev/null/nowhere'] : ['--kubeconfig', '/dev/null/nowhere']
    expect(await run(...argv, ...nowhere)).toMatchObject({ code: 1, out: '' })
  })

  test('says in one line why a command cannot do its work, with exit code 1', async () => {
    const { code, out, err } = await run('up', '--data-dir', '/dev/null/nowhere')
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(
      /^the data directory \/dev\/null\/nowhere cannot be used \(ENOTDIR.*\); choose another with --data-dir\n$/,
    )
  })
})
