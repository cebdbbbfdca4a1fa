import { CelAuthorizer, ResourceCheck } from '../../../cel/types/authorization.ts'
import type { Authorize } from '../../../cel/types/authorization.ts'
import { admissionRequestShape, compileMatchCondition, matchConditionsHold } from '../../../cel/match-condition.ts'
import type { CelProgram } from '../../../cel/program.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import type { Authorizer } from '../../auth/rule/authorizer.ts'
import { aggregate } from '../../auth/rule/authorizer.ts'
import { type Caller, serviceAccountCaller } from '../../../machinery/caller.ts'
import { objectOf, textOf } from '../../../machinery/read.ts'
import type { Hook } from './hook.ts'

const REQUEST = admissionRequestShape()

/** Decides by webhooks' `matchConditions` whether they are asked at all. Programs live as long as the webhooks they are of. */
export class MatchConditions {
  readonly #authorizer: Authorizer
  readonly #programs = new WeakMap<Hook, readonly CelProgram[]>()

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer
  }

  /**
   * Do all conditions hold for an AdmissionReview? One that is false decides, whatever the others say; else, what could
   * not be evaluated (upstream `matchconditions.Matcher`).
   */
  hold(hook: Hook, review: JsonObject, caller: Caller): boolean | Error {
    if (hook.matchConditions.length === 0) return true
    const request = objectOf(review['request'])
    const authorizer = new CelAuthorizer(this.#authorizeFor(caller))
    const activation = {
      object: request['object'],
      oldObject: request['oldObject'],
      request,
      authorizer,
      'authorizer.requestResource': requestResource(authorizer, request),
    }
    const programs = this.#programsOf(hook)
    const held = matchConditionsHold(programs, activation)
    if (typeof held === 'boolean') return held
    return new Error(
      aggregate(
        held.map(({ index, message }) => `expression '${programs[index]?.source ?? ''}' resulted in error: ${message}`),
      ),
    )
  }

  #authorizeFor(caller: Caller): Authorize {
    return ({ verb, path, ...resource }, account) => {
      const asked = account === undefined ? caller : serviceAccountCaller(account.namespace, account.name)
      return this.#authorizer.decide(
        asked,
        path === undefined ? { type: 'resource', verb, ...resource } : { type: 'path', verb, path },
      )
    }
  }

  #programsOf(hook: Hook): readonly CelProgram[] {
    const known = this.#programs.get(hook)
    if (known !== undefined) return known
    const programs = hook.matchConditions.map(({ expression }) => compileMatchCondition(expression.trim(), REQUEST))
    this.#programs.set(hook, programs)
    return programs
  }
}

/** The value of `authorizer.requestResource`: the resource of the request itself. */
function requestResource(authorizer: CelAuthorizer, request: JsonObject): ResourceCheck {
  const resource = objectOf(request['requestResource'])
  return new ResourceCheck(authorizer, {
    group: textOf(resource['group']),
    resource: textOf(resource['resource']),
    subresource: textOf(request['requestSubResource']),
    namespace: textOf(request['namespace']),
    name: textOf(request['name']),
  })
}
