import { admissionRequestShape, compileMatchCondition, MATCH_CONDITIONS_BUDGET } from '../../../cel/match-condition.ts'
import { PER_CALL_LIMIT } from '../../../cel/program.ts'
import { allowed, denied } from '../../../runtime/admission/admission-decision.ts'
import type { AdmissionRequest } from '../../../runtime/admission/admission-request.ts'
import type { AdmissionWebhook } from '../../../runtime/admission/admission-server.ts'
import type { HookCondition } from '../../webhook-configuration.ts'

type Handle = AdmissionWebhook['handle']

/**
 * A handler that allows at once what a webhook with these conditions would not be asked about, for API servers that know no
 * `matchConditions`. One that cannot be evaluated refuses the request, as such a server does. Throws CelCompileError.
 */
export function withConditions(handle: Handle, conditions: readonly HookCondition[]): Handle {
  const shape = admissionRequestShape()
  const programs = conditions.map(({ name, expression }) => ({
    name,
    program: compileMatchCondition(expression, shape),
  }))
  return async (request, signal, withinMs) => {
    const { object, oldObject, ...rest } = request
    const activation = { object: object ?? null, oldObject: oldObject ?? null, request: rest }
    let left = MATCH_CONDITIONS_BUDGET
    const problems: string[] = []
    for (const { name, program } of programs) {
      const { result, cost } = program.run(activation, { maxCost: Math.min(left, PER_CALL_LIMIT) })
      left -= cost
      if ('error' in result) problems.push(`the match condition ${JSON.stringify(name)}: ${result.error.message}`)
      else if (result.value !== true) return allowed()
    }
    return problems.length === 0 ? await handle(request, signal, withinMs) : denied(unevaluated(request, problems))
  }
}

const unevaluated = ({ operation }: AdmissionRequest, problems: readonly string[]): string =>
  `the ${operation} cannot be decided: ${problems.join('; ')}`
