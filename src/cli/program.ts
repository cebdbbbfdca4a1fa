import { Command } from 'commander'
import type { CliContext } from './context.ts'
import { doctorCommand } from './doctor/command.ts'
import { explainCommand } from './explain/command.ts'
import { installCommand } from './install/command.ts'
import { uninstallCommand } from './install/uninstall-command.ts'
import { migrateCommand } from './migrate/command.ts'
import { packageVersion } from './package-version.ts'
import { runCommand } from './run/command.ts'
import { simulateCommand } from './simulate/command.ts'
import { testCommand } from './test/command.ts'
import { topCommand } from './top/command.ts'
import { upCommand } from './up/command.ts'

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

/** The command `allot` with all of its commands. It throws instead of ending the process, and complains in one line. */
export function allotProgram(context: CliContext): Command {
  const { out, err } = context
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
  return program
}

/** A command, with its own commands, that ends and complains as its parent does. */
function adopted(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent)
  for (const one of command.commands) adopted(one, command)
  return command
}

/** A complaint in one line. */
export function oneLine(text: string): string {
  return `${text.trim().replaceAll(/\s*\n\s*/g, ' ')}\n`
}
