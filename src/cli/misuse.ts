import type { Command } from 'commander'

/** Ends a command whose command line makes no sense, with the exit code for that. `problem`: one sentence, without a full stop. */
export function misuse(command: Command, problem: string): never {
  command.error(`error: ${problem}`, { code: 'allot.misuse' })
}

/** Complains about the first of these options that is given without any of those that give it a meaning. All are named as `opts()` has them. */
export function demandCompany(command: Command, names: readonly string[], needed: readonly string[]): void {
  if (needed.some((name) => isGiven(command, name))) return
  const alone = names.find((name) => isGiven(command, name))
  if (alone !== undefined)
    misuse(
      command,
      `option '${flagsOf(command, alone)}' cannot be used without ${needed.map((name) => `option '${flagsOf(command, name)}'`).join(' or ')}`,
    )
}

/** Is the option on the command line, and not a default? */
export const isGiven = (command: Command, name: string): boolean => command.getOptionValueSource(name) === 'cli'

/** The flags of an option, as messages have them. */
export const flagsOf = (command: Command, name: string): string =>
  command.options.find((option) => option.attributeName() === name)?.flags ?? name
