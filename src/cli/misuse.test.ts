import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { runProgram } from './allot-program.ts'
import { allotProgram } from './program.ts'

const CONTEXT = { out: () => undefined, err: () => undefined, environment: {}, stop: AbortSignal.abort() }

interface Leaf {
  readonly words: readonly string[]
  readonly command: Command
}

/** Every command that does something, also the next one that is added. */
const LEAVES = allotProgram(CONTEXT).commands.flatMap((one) => leavesOf(one, []))

function leavesOf(command: Command, before: readonly string[]): readonly Leaf[] {
  const words = [...before, command.name()]
  return command.commands.length === 0 ? [{ words, command }] : command.commands.flatMap((one) => leavesOf(one, words))
}

async function refused(argv: readonly string[]): Promise<string> {
  let out = ''
  let err = ''
  const code = await runProgram(argv, { ...CONTEXT, out: (text) => (out += text), err: (text) => (err += text) })
  expect([code, out], `${argv.join(' ')}: ${err}`).toEqual([2, ''])
  expect(err).toMatch(/^error: [^\n]+\n$/)
  return err.slice('error: '.length, -1)
}

const titled = (leaves: readonly Leaf[]) => leaves.map((leaf) => [leaf.words.join(' '), leaf] as const)
const isCounted = ({ command: { registeredArguments } }: Leaf): boolean =>
  !registeredArguments.some(({ variadic }) => variadic)

test.each(titled(LEAVES))(
  'allot %s refuses flags that it does not have, and flags without their value, with exit code 2',
  async (_, { words, command }) => {
    expect(await refused([...words, '--unheard-of'])).toContain("unknown option '--unheard-of'")
    for (const { long, flags } of command.options.filter(({ required }) => required))
      expect(await refused([...words, long ?? '']), flags).toContain(`option '${flags}' argument missing`)
  },
)

test.each(titled(LEAVES.filter(isCounted)))(
  'allot %s refuses one word too many with exit code 2',
  async (_, { words, command: { registeredArguments } }) => {
    const given = registeredArguments.map(({ argChoices }) => argChoices?.[0] ?? 'a')
    expect(await refused([...words, ...given, 'more'])).toContain('too many arguments')
  },
)

const INIT = "'--init'"
test.each([
  [['doctor', '--yes'], "option '--yes' cannot be used without option '--fix'"],
  [['doctor', '--settle', '0s'], /--settle.*It must be a duration from 1ms to 24h/],
  [
    ['explain', '-R', 'deployment', 'web'],
    "option '-R, --recursive' cannot be used without option '-f, --filename <file>'",
  ],
  [['explain'], /^no object is named: /],
  [['explain', ''], /is no kind and name/],
  [['explain', 'deployment'], /^"deployment" is no kind and name/],
  [['explain', 'deployment/'], /^"" is no name of an object/],
  [['explain', 'deployment', ''], /^"" is no name of an object/],
  [['explain', '/web'], /is no kind and name/],
  [['explain', 'deployment/web/1'], /^"deployment\/web\/1" is no kind and name/],
  [['explain', 'deployment/web', 'db'], /^"deployment\/web db" is no kind and name/],
  [['explain', 'deployment', 'Web_1'], /^"Web_1" is no name of an object/],
  [['explain', 'deployment', 'web', '-f', 'web.yaml'], 'a kind cannot be given with --filename'],
  [['simulate'], /^there is nothing to simulate: /],
  [['simulate', '--state', 'a.yaml'], /^there is nothing to simulate: /],
  [['simulate', '-f', '-', '--state', '-'], 'standard input can be read only once'],
  [['simulate', '-f', '-', '--delete-filename', '-'], 'standard input can be read only once'],
  [['simulate', '-f', 'a', '--state', 'b', '--context', 'c'], /'--state <file>' cannot be used with option '--context/],
  [['test', '-n', 'shop'], `option '-n, --namespace <name>' cannot be used without option ${INIT}`],
  [['test', '--kubeconfig', 'a'], `option '--kubeconfig <file>' cannot be used without option ${INIT}`],
  [['test', '--init', 'a', 'b'], '--init writes into one folder'],
  [['test', '--init', '--junit', 'a'], `option ${INIT} cannot be used with option '--junit <file>'`],
  [['test', '--init', '--fail-only'], `option ${INIT} cannot be used with option '--fail-only'`],
  [['top', 'quota'], /'quota' is invalid.*Allowed choices are quotas, namespaces, pools, claims/],
  [['top', '-A', '-n', 'shop'], /'-A, --all-namespaces' cannot be used with option '-n, --namespace <name>'/],
  [['top', 'pools', '-n', 'shop'], /'-n, --namespace <name>' cannot be used with pools/],
  [['top', 'pools', '-A'], /'-A, --all-namespaces' cannot be used with pools/],
  [['top', 'claims', '--over', '1m'], /'--over <duration>' cannot be used with claims/],
  [['top', '--watch', '--over', '1m'], /'--over <duration>' cannot be used with option '-w, --watch'/],
  [['top', '--interval', '1s'], /cannot be used without option '-w, --watch' or option '--over <duration>'/],
  [['top', '--watch', '--interval', '0s'], /--interval.*It must be a duration from 1ms to 24h/],
  [['top', '--over', '0s'], /--over.*It must be a duration from 1ms to 24h/],
  [['top', '--over', '1s', '--interval', '5s'], /^--interval must be shorter than --over/],
  [['top', '--over', '1s', '--interval', '1s'], /^--interval must be shorter than --over/],
  [
    ['install', '--kube-version', '1.31', '--context', 'a'],
    /'--kube-version <version>' cannot be used with option '--con/,
  ],
  [
    ['migrate', 'tenants', '-f', 'a', '--kubeconfig', 'b'],
    /'-f, --filename <file>' cannot be used with option '--kubec/,
  ],
  [['migrate', 'tenants', '-f', 'a', '--finish'], /'--finish' cannot be used with option '-f, --filename <file>'/],
  [['migrate', 'capsule', '--back', '--outside'], /'--back' cannot be used with option '--outside'/],
  [['migrate', 'capsule', '--back', '--leave-unserved'], /'--back' cannot be used with option '--leave-unserved'/],
  [['migrate', 'crq'], /missing required argument/],
])('refuses %j, which makes no sense whatever the cluster holds, with exit code 2', async (argv, message) => {
  expect(await refused(argv)).toMatch(message)
})
