import { admissionRequestShape, compileMatchCondition, matchConditionsHold } from '../../../../cel/match-condition.ts'
import { allowed, denied } from '../../../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../../../runtime/admission/request.ts'
import type { AdmissionWebhook } from '../../../../runtime/admission/server.ts'
import type { HookCondition } from '../../../../operator/webhook/configuration.ts'

type Handle = AdmissionWebhook['handle']

/**
 * A handler that allows at once what a webhook with these conditions would not be asked about, for API servers that know no
 * `matchConditions`. One that cannot be evaluated refuses the request, as such a server does. Throws CelCompileError.
 */
export function withConditions(handle: Handle, conditions: readonly HookCondition[]): Handle {
  const shape = admissionRequestShape()
  const programs = conditions.map(({ expression }) => compileMatchCondition(expression, shape))
  return async (request, signal, withinMs) => {
    const { object, oldObject, ...rest } = request
    const activation = { object: object ?? null, oldObject: oldObject ?? null, request: rest }
    const held = matchConditionsHold(programs, activation)
    if (held === true) return await handle(request, signal, withinMs)
    if (held === false) return allowed()
    return denied(
      unevaluated(
        request,
        held.map(({ index, message }) => `the match condition ${JSON.stringify(conditions[index]?.name)}: ${message}`),
      ),
    )
  }
}

const unevaluated = ({ operation }: AdmissionRequest, problems: readonly string[]): string =>
  `the ${operation} cannot be decided: ${problems.join('; ')}`
