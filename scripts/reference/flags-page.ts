import type { Argument, Command, Option } from 'commander'
import { allotProgram } from '../../src/cli/program.ts'
import { code, sentence, table } from './markdown.ts'

const INTRODUCTION = `# Commands and flags

All commands of \`allot\`, with their flags and defaults. The pages of the commands explain them. [Exit codes](exit-codes.md) has the codes of all commands.`

/** Every command with its arguments and flags, as `--help` has them. */
export function flagsPage(): string {
  const nothing = (): void => undefined
  const program = allotProgram({ out: nothing, err: nothing, environment: {}, stop: new AbortController().signal })
  return `${[INTRODUCTION, ...program.commands.flatMap((command) => sections(command, 'allot'))].join('\n\n')}\n`
}

function sections(command: Command, parent: string): readonly string[] {
  const name = `${parent} ${command.name()}`
  const { registeredArguments: taken, options, commands } = command
  const flags = options.filter(({ hidden }) => !hidden)
  return [
    `## ${name}`,
    sentence(command.description()),
    ...(taken.length === 0 ? [] : [table(['Argument', 'Meaning', 'Default'], taken.map(argumentRow))]),
    ...(flags.length === 0 ? [] : [table(['Flag', 'Meaning', 'Default'], flags.map(flagRow))]),
    ...commands.flatMap((one) => sections(one, name)),
  ]
}

function argumentRow(argument: Argument): readonly string[] {
  const { description, defaultValue, argChoices, required, variadic } = argument
  const name = `${argument.name()}${variadic ? '...' : ''}`
  return [code(required ? `<${name}>` : `[${name}]`), meaning(description, argChoices), shown(defaultValue)]
}

const flagRow = ({ flags, description, argChoices, ...option }: Option): readonly string[] => [
  code(flags),
  meaning(description, argChoices),
  defaultOf(option),
]

const meaning = (text: string, choices: readonly string[] | undefined): string =>
  choices === undefined ? sentence(text) : `${sentence(text)} One of ${choices.map(code).join(', ')}.`

/** Commander gives a flag that begins with `--no-` the default true of what it turns off. */
function defaultOf({
  defaultValue,
  defaultValueDescription,
  negate,
}: Pick<Option, 'defaultValue' | 'defaultValueDescription' | 'negate'>): string {
  if (negate || defaultValueDescription === 'none') return ''
  return defaultValueDescription === undefined ? shown(defaultValue) : code(defaultValueDescription)
}

function shown(value: unknown): string {
  if (value === undefined || value === false) return ''
  return typeof value === 'string' || typeof value === 'number' ? code(String(value)) : code(JSON.stringify(value))
}
