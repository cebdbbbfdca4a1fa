import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasKubectl } from '../kubectl/kubectl.ts'
import { type Operated, operatedServers } from '../operator/operated.ts'
import { temporaryDirectory } from '../start-allot.ts'
import { printed } from './printed.ts'
import { ROOT, type Result, shell } from './document-shell.ts'
import { shows, type Step, steps } from './transcript.ts'

const DOCUMENT = 'examples/resource-pools/README.md'
const PATIENCE_MS = 240_000

const server = operatedServers.find(({ name }) => name !== 'allot up')

describe.skipIf(server?.available !== true || !hasKubectl)(
  'the stories of resource pools on a real API server with allot run',
  () => {
    let operated: Operated
    const home = temporaryDirectory()
    const run = (command: string): Promise<Result> => shell(command, { kubeconfig: operated.kubeconfig, home })

    beforeAll(async () => {
      if (server !== undefined) operated = await server.start()
    }, PATIENCE_MS)
    afterAll(async () => await operated?.[Symbol.asyncDispose]())

    test(
      'print what the document shows',
      async () => {
        for (const shown of steps(readFileSync(join(ROOT, DOCUMENT), 'utf8'))) {
          const step = { ...shown, output: withoutWarnings(shown.output) }
          const text = await printed(step, run, (actual) => isShown(step, actual))
          expect(difference(step, text)).toBeUndefined()
        }
      },
      PATIENCE_MS,
    )
  },
)

/** The plugin of the API server decides here, and it does not warn of ResourceQuotas. */
const withoutWarnings = (output: string): string => output.replaceAll(/^Warning: ResourceQuota .*\n/gm, '')

const isShown = ({ command, output }: Step, actual: string): boolean =>
  isQuotaTable(command) ? sameWords(output, actual) : shows(output, actual)

/** Says where the server prints something else than the document shows. */
function difference(step: Step, actual: string): string | undefined {
  const { command, output, line } = step
  return isShown(step, actual) ? undefined : `${DOCUMENT}:${line}\n$ ${command}\nshown:\n${output}\nprinted:\n${actual}`
}

/** Old servers print the columns of ResourceQuotas in another order, and its cells are what this is about. */
const isQuotaTable = (command: string): boolean => / get resourcequota\b/.test(command) && !/ -o /.test(command)

function sameWords(shown: string, actual: string): boolean {
  const words = (text: string): readonly string[] =>
    text
      .trimEnd()
      .split('\n')
      .map((row) =>
        row
          .split(/\s+/)
          .filter((word) => word !== '' && word !== '…' && !/^(\d+[dhms])+$/.test(word))
          .toSorted()
          .join(' '),
      )
  return words(shown).join('\n') === words(actual).join('\n')
}
