import { flatText } from '../../../machinery/flat-text.ts'
import { utf8Length } from '../../../machinery/names.ts'

const MANAGER_LIMIT = 128
/** All of it can be printed, and fits. */
const USUAL = /^[ -~]{0,128}$/

/**
 * The name of the manager of a request: its `fieldManager` parameter, else what its User-Agent says before the first
 * `/`, as far as that can be printed and fits. Empty where neither says anything; managed fields then say `unknown`.
 */
export function managerName(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') return flatText(fieldManager)
  const [program = ''] = userAgent.split('/', 1)
  if (USUAL.test(program)) return flatText(program)
  let name = ''
  let length = 0
  for (const character of program) {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)) continue
    length += utf8Length(character)
    if (length > MANAGER_LIMIT) break
    name += character
  }
  return flatText(name)
}
