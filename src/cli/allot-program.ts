import { Command, CommanderError } from 'commander'
import { AdvisingError } from '../machinery/advising-error.ts'
import { ApiError } from '../machinery/status.ts'
import { StoreError } from '../store/record/store-error.ts'
import { packageVersion } from './package-version.ts'
import type { CliContext } from './context.ts'
import { LeftOver } from './migrate/left-over.ts'
import { doctorCommand } from './doctor/doctor-command.ts'
import { explainCommand } from './explain/explain-command.ts'
import { installCommand } from './install/install-command.ts'
import { uninstallCommand } from './install/uninstall-command.ts'
import { migrateCommand } from './migrate/migrate-command.ts'
import { simulateCommand } from './simulate/simulate-command.ts'
import { testCommand } from './test/test-command.ts'
import { runCommand } from './run/run-command.ts'
import { topCommand } from './top/top-command.ts'
import { upCommand } from './up/up-command.ts'

/** The command could not do its work. */
const FAILED = 1
/** The command line makes no sense. */
const MISUSED = 2
/** The command did its work, and has said what it leaves to its caller. */
const LEFT_OVER = 3

const COMMANDS = [
  upCommand,
  runCommand,
  installCommand,
  uninstallCommand,
  migrateCommand,
  explainCommand,
  simulateCommand,
  testCommand,
  topCommand,
  doctorCommand,
]

/** Runs a command line and gives the exit code. Says in one line what is wrong; throws only for bugs. */
export async function runProgram(argv: readonly string[], context: CliContext): Promise<number> {
  const { out, err, stop } = context
  const program = new Command('allot')
    .description('One quota control plane for Kubernetes.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: err, outputError: (text, write) => write(oneLine(text)) })
  for (const command of COMMANDS) program.addCommand(adopted(command(context), program))
  program
    .command('version')
    .description('print the version')
    .action(() => out(`${packageVersion()}\n`))
  try {
    await program.parseAsync(argv, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED
    if (error instanceof LeftOver) return LEFT_OVER
    if (stop.aborted && error === stop.reason) {
      err('it was interrupted: what was done stays done\n')
      return FAILED
    }
    const complaint = complaintOf(error)
    if (complaint === undefined) throw error
    err(oneLine(complaint))
    return FAILED
  }
}

/** A command, with its own commands, that ends and complains as its parent does. */
function adopted(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent)
  for (const one of command.commands) adopted(one, command)
  return command
}

/** The message for an expected error: the reason, and the remedy. */
function complaintOf(error: unknown): string | undefined {
  if (error instanceof StoreError) return `${error.message}. ${error.advice}`
  if (error instanceof ApiError) return `the API server refused: ${error.message}`
  return error instanceof AdvisingError ? `${error.message}; ${error.advice}` : undefined
}

function oneLine(text: string): string {
  return `${text.trim().replaceAll(/\s*\n\s*/g, ' ')}\n`
}
