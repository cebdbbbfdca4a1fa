/** The context of a command: its process; tests give others. */
export interface CliContext {
  /** Writes a text for the caller of the command. */
  readonly out: (text: string) => void
  /** Does `out` write to a terminal? Left out: no. */
  readonly isTerminal?: boolean
  /** Says in a text what is wrong. */
  readonly err: (text: string) => void
  /** The variables of the process's environment. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Aborts when the command is to end in good order. */
  readonly stop: AbortSignal
}
