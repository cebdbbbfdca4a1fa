import { parentPort, workerData } from 'node:worker_threads'
import { hasTooManyTokens } from '../../machinery/yaml/tokens.ts'
import { readYaml, YamlTextError } from '../../machinery/yaml/text.ts'
import type { YamlReply, YamlTask } from './yaml-reader.ts'

const { text, withDuplicates } = workerData as YamlTask

/** Numbers that JavaScript cannot hold exactly do not travel between threads, so the value goes as JSON. */
function read(): YamlReply {
  if (hasTooManyTokens(text)) return { isTooLong: true }
  try {
    const { value, duplicates } = readYaml(text, withDuplicates)
    return { json: JSON.stringify(value), duplicates }
  } catch (error) {
    if (!(error instanceof YamlTextError)) throw error
    return { error: { message: error.message, line: error.line, column: error.column } }
  }
}

// A port of a thread, not a window: there is no origin.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(read())
