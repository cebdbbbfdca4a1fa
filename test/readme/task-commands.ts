import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './document-shell.ts'
import { steps, unfinishedBy } from './transcript.ts'

const TASKS = 'docs/tasks'
/** The pages for beginners, whose commands are held to the same. */
const FIRST_PAGES = ['README.md', 'docs/quick-start.md']

/** A command of a page on a task, or of one for beginners. */
export interface TaskCommand {
  readonly page: string
  /** Of the command on its page, from 1. */
  readonly line: number
  /** `console`: its output stands below it, and is compared. `sh`: only the command. */
  readonly fence: 'console' | 'sh'
  readonly command: string
}

/** A test file that runs commands of the pages. */
interface Runner {
  readonly file: string
  readonly runs: (command: TaskCommand) => boolean
}

/** Pages whose commands need a server in a certain state, each with the test that makes it and runs them. */
export const PAGES_RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  'docs/tasks/break-glass.md': 'test/install/installation.test.ts',
  'docs/tasks/move-from-capsule.md': 'test/migrate/capsule.test.ts',
  'docs/tasks/move-from-quota-operator.md': 'test/migrate/quota-operator.test.ts',
}

/** The command that starts allot in a clone, also with flags. */
export const START = 'make up'
export const isStart = (command: string): boolean => command === START || command.startsWith(`${START} ARGS=`)

/** The tests take their commands from here, so that the sweep knows which are run. */
const RUNNERS = {
  transcripts: {
    file: 'test/readme/readme.test.ts',
    runs: ({ page, fence, command }) =>
      fence === 'console' && PAGES_RUN_ELSEWHERE[page] === undefined && command !== START,
  },
  start: {
    file: 'test/readme/readme.test.ts',
    runs: ({ fence, command }) => fence === 'console' && command === START,
  },
  environment: {
    file: 'test/readme/readme.test.ts',
    runs: ({ fence, command }) => fence === 'sh' && command.startsWith('export KUBECONFIG=$PWD/'),
  },
  helm: {
    file: 'test/install/chart.test.ts',
    runs: ({ fence, command }) => fence === 'sh' && command.startsWith('helm '),
  },
  outside: {
    file: 'test/readme/outside-commands.test.ts',
    runs: ({ fence, command }) => fence === 'sh' && command.startsWith('allot run '),
  },
} satisfies Readonly<Record<string, Runner>>

/** The only reasons for which a command of a page may be run by no test. */
const REASONS = {
  itself: 'it runs the tests themselves, or what is run before a release',
} as const

/** Commands that no test runs, by their text, each with the reason. */
export const EXCUSES: Readonly<Record<string, keyof typeof REASONS>> = {
  'make check': 'itself',
  'make test': 'itself',
  'make soak': 'itself',
  'make bench': 'itself',
  'make dist': 'itself',
}

/** All commands of the pages, as they are now. */
export const taskCommands = (): readonly TaskCommand[] =>
  [
    ...FIRST_PAGES,
    ...readdirSync(join(ROOT, TASKS))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${TASKS}/${name}`),
  ].flatMap((page) => commandsIn(page, readFileSync(join(ROOT, page), 'utf8')))

/** The commands of the blocks of a page, however they are fenced: what no runner takes must not be overlooked. */
export function commandsIn(page: string, text: string): readonly TaskCommand[] {
  const found = steps(text).map(({ command, line }): TaskCommand => ({ page, line, fence: 'console', command }))
  let fence = ''
  let isOpen = false
  /** `steps` reads those that are not. */
  let isIndented = false
  let unfinished: (command: string) => boolean = () => false
  for (const [index, indented] of text.split('\n').entries()) {
    const line = indented.trim()
    const last = found.at(-1)
    if (line.startsWith('```')) {
      fence = line.slice(3)
      isOpen = !isOpen
      isIndented = indented !== line
      unfinished = () => false
    } else if (!isOpen || (fence === 'console' && !isIndented)) continue
    else if (last !== undefined && unfinished(last.command))
      found[found.length - 1] = { ...last, command: `${last.command}\n${line}` }
    else if (isCommand(fence, line)) {
      const command = line.replace(/^\$ /, '').replace(/ {2,}# .*$/, '')
      found.push({ page, line: index + 1, fence: 'sh', command })
      unfinished = unfinishedBy(command)
    }
  }
  return found
}

/** In a block of a shell each line is one, in any other those that a prompt marks. */
const isCommand = (fence: string, line: string): boolean =>
  line.startsWith('$ ') || (SHELLS.has(fence) && line !== '' && !line.startsWith('#'))

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'shell'])

/** The commands that the named runner has to run. */
export const commandsFor = (name: keyof typeof RUNNERS): readonly TaskCommand[] =>
  taskCommands().filter(RUNNERS[name].runs)

/** The files that run a command: none, where nothing does. */
export function runnersOf(command: TaskCommand): readonly string[] {
  const elsewhere = command.fence === 'console' ? PAGES_RUN_ELSEWHERE[command.page] : undefined
  const files = Object.values(RUNNERS).flatMap(({ file, runs }: Runner) => (runs(command) ? [file] : []))
  return elsewhere === undefined ? files : [...files, elsewhere]
}

/** How each test file says which of the commands it runs. */
export const CLAIMS: readonly { readonly file: string; readonly says: string }[] = [
  ...Object.entries(RUNNERS).map(([name, { file }]: readonly [string, Runner]) => ({
    file,
    says: `commandsFor('${name}')`,
  })),
  ...Object.entries(PAGES_RUN_ELSEWHERE).map(([page, file]) => ({ file, says: `'${page}'` })),
]
