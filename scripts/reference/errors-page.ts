import { KUBECONFIG_ERRORS } from '../../src/kube/kubeconfig/error.ts'
import { CREDENTIAL_ERRORS } from '../../src/kube/credentials/source.ts'
import type { ErrorHelp } from '../../src/machinery/coded-error.ts'
import { STARTUP_ERRORS } from '../../src/runtime/process/startup-error.ts'
import { STORE_ERRORS } from '../../src/store/record/store-error.ts'
import { code, sentence, table } from './markdown.ts'

type ErrorTable = Readonly<Record<string, ErrorHelp>>

const INTRODUCTION = `# Errors

What keeps allot from working, and what to do. The message of an error names the file, the port or the object, and ends with the advice. Codes are those of the
library and of tests. Errors in your input, such as a manifest that cannot be read, are no part of this page: their messages name the file, the line and the field.`

const SECTIONS: readonly (readonly [title: string, text: string, errors: ErrorTable])[] = [
  ['At the start', '`allot up` and `allot run` end with exit code 1.', STARTUP_ERRORS],
  ['Of the kubeconfig', 'Each command that talks to an API server reads one.', KUBECONFIG_ERRORS],
  ['Of credentials', 'The user of the kubeconfig has a token file or an exec plugin.', CREDENTIAL_ERRORS],
  [
    'Of the store of `allot up`',
    'At the start the process ends with exit code 1. Later a request gets code 500, 507 or 410, and the log has the message.',
    STORE_ERRORS,
  ],
]

/** Every error of the infrastructure that has a code. */
export function errorsPage(): string {
  const sections = SECTIONS.map(([title, text, errors]) => {
    const rows = Object.entries(errors).map(([name, help]) => [code(name), help.meaning, sentence(help.advice)])
    return `## ${title}\n\n${text}\n\n${table(['Code', 'What it means', 'What to do'], rows)}`
  })
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`
}
