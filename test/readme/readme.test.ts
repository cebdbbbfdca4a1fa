import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { allObjects } from '../all-objects.ts'
import { eventually } from '../eventually.ts'
import { hasKubectl } from '../kubectl/kubectl.ts'
import { type Allot, startAllot, temporaryDirectory } from '../start-allot.ts'
import { printed } from './printed.ts'
import { offline, ROOT, shell } from './document-shell.ts'
import { commandsFor, isStart, PAGES_RUN_ELSEWHERE, START } from './task-commands.ts'
import { shows, type Step, steps } from './transcript.ts'

/** Of a document beside four others. */
const PATIENCE_MS = 600_000

const documents = [
  'README.md',
  'docs/quick-start.md',
  'examples/resource-quota/README.md',
  'examples/resource-pools/README.md',
  'examples/custom-quotas/README.md',
  'examples/quota-increases/README.md',
  'examples/karmada-quotas/README.md',
  ...['docs/concepts', 'docs/systems', 'docs/tasks', 'docs/reference'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
]

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

function stepsOf(file: string): readonly Step[] {
  return steps(read(file))
}

/** The flags with which a document starts allot. */
function argsOf(file: string): readonly string[] {
  const [command = START] = stepsOf(file).flatMap((step) => (isStart(step.command) ? [step.command] : []))
  return /ARGS="(.*)"$/.exec(command)?.[1]?.split(' ') ?? []
}

/** Says where a document is wrong, with both texts, or nothing. */
function difference(file: string, { command, output, line }: Step, actual: string): string | undefined {
  if (shows(output, actual)) return undefined
  return `${file}:${line}\n$ ${command}\nshown:\n${output}\nprinted:\n${actual}`
}

interface CleanServer {
  readonly allot: Allot
  /** All that was there before the first page. */
  readonly before: ReadonlySet<string>
}

/** Servers on which nothing of any page is left and that no page uses now, by their flags. */
const clean = new Map<string, CleanServer[]>()

async function takeServer(args: readonly string[]): Promise<CleanServer> {
  const server = clean.get(args.join(' '))?.pop()
  if (server !== undefined) return server
  const allot = await startAllot({ workloads: true, operator: true, args })
  return { allot, before: new Set(await allObjects(allot.call)) }
}

function giveBack(server: CleanServer, args: readonly string[]): void {
  clean.set(args.join(' '), [...(clean.get(args.join(' ')) ?? []), server])
}

afterAll(async () => {
  await Promise.all([...clean.values()].flat().map(({ allot }) => allot.stop()))
})

describe('the program prints the output that documents show', () => {
  const withCommands = documents.filter(
    (file) => PAGES_RUN_ELSEWHERE[file] === undefined && stepsOf(file).some(({ command }) => !isStart(command)),
  )

  test('the README and the examples have commands', () => {
    expect(withCommands).toEqual(expect.arrayContaining(['README.md', 'examples/resource-quota/README.md']))
  })

  test('so has each page on a task whose commands the sweep expects to be run here', () => {
    const pages = commandsFor('transcripts').map(({ page }) => page)
    expect(withCommands).toEqual(expect.arrayContaining([...new Set(pages)]))
  })

  test('the table of systems in the README links an example for each system, and its commands are among these', () => {
    const [, table = ''] = read('README.md').split('| System |')
    const rows = (table.split('\n\n')[0] ?? '').split('\n').filter((line) => line.startsWith('| ['))
    const examples = rows.map((row) => /\(\[example\]\(([^)]+)\)\)/.exec(row)?.[1])
    expect(examples).toHaveLength(5)
    expect(withCommands).toEqual(expect.arrayContaining(examples))
  })

  // Most commands wait for something, so pages are read beside one another, each on a server that no other uses meanwhile.
  test.skipIf(!hasKubectl).concurrent.for(withCommands)('%s', { timeout: PATIENCE_MS }, async (file, { expect }) => {
    const server = await takeServer(argsOf(file))
    const { allot, before } = server
    const home = temporaryDirectory()
    for (const step of stepsOf(file)) {
      if (isStart(step.command)) continue
      const text = await printed(
        step,
        (command) => shell(command, { kubeconfig: allot.kubeconfig, home }),
        (actual) => shows(step.output, actual),
      )
      expect(difference(file, step, text)).toBeUndefined()
    }
    // The next page that somebody reads on the same server may use the same names, whichever page that is.
    const left = await eventually(
      async () => (await allObjects(allot.call)).filter((one) => !before.has(one)),
      (all) => all.length === 0,
      // Each look lists every kind.
      { patienceMs: 5_000, everyMs: 250, what: `nothing of ${file} is left` },
    )
    expect(left).toEqual([])
    giveBack(server, argsOf(file))
  })
})

describe('the two commands that begin every page', () => {
  const folder = temporaryDirectory()
  const starts = commandsFor('start')

  test('`make up` prints what the pages for beginners show [33/first-pages]', async () => {
    const command = `${offline(START)} ARGS="--port 0 --data-dir ${folder}/.allot"`
    const make = spawn('bash', ['-c', `exec ${command}`], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], HOME: folder },
    })
    const ended = new Promise((resolve) => make.on('close', resolve))
    let printed = ''
    const ready = new Promise<string>((resolve, reject) => {
      make.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()))
      make.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString()
        if (printed.split('\n').length > 3) resolve(printed.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:6443'))
      })
      make.on('close', () => reject(new Error(`make up ended:\n${printed}`)))
    })
    const said = await ready.finally(() => make.kill('SIGTERM'))
    await ended
    expect(starts.map(({ page }) => page)).toEqual(['README.md', 'docs/quick-start.md'])
    const shown = starts.flatMap(({ page, line }) =>
      stepsOf(page).flatMap((step) => (step.line === line ? [difference(page, step, said)] : [])),
    )
    expect(shown).toEqual(starts.map(() => undefined))
    expect(said).toMatch(/^export KUBECONFIG=.*\/\.allot\/kubeconfig$/m)
  })

  test.each(commandsFor('environment'))(
    '$page:$line names the file that `make up` writes by default, and the Node that it installs [33/first-pages]',
    async ({ command }) => {
      const { text } = await shell(`${command} && echo $KUBECONFIG $(command -v node)`, {
        kubeconfig: '',
        home: folder,
      })
      const [kubeconfig, node] = text.trim().split(' ')
      expect(kubeconfig).toBe(join(ROOT, '.allot/kubeconfig'))
      if (command.includes('PATH=$PWD')) expect(node).toBe(join(ROOT, 'node_modules/.bin/node'))
    },
  )
})
