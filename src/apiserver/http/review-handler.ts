import type { TokenReviewSpec } from '../../builtin/authentication-v1.ts'
import type {
  LocalSubjectAccessReview,
  ResourceAttributes,
  SelfSubjectAccessReview,
  SelfSubjectRulesReviewSpec,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
} from '../../builtin/authorization-v1.ts'
import { type FieldError, invalid as invalidField } from '../../machinery/field-error.ts'
import { isObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { badRequest, invalid } from '../../machinery/status.ts'
import type { Exchange } from '../../runtime/http/exchange.ts'
import type { Action } from '../auth/request/action.ts'
import { aggregate, type Authorizer } from '../auth/rule/authorizer.ts'
import { ruleObject } from '../auth/rule/policy-rule.ts'
import type { Caller } from '../../machinery/caller.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import { objectOf, specOf, textOf, textsOf } from '../../machinery/read.ts'
import type { ObjectOperations } from '../operation/object-operations.ts'
import type { BodyDecoders } from '../decoding/body-decoders.ts'
import type { Access } from '../auth/access.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import { warnings } from './answer/answer.ts'
import { readValue, toObject } from '../decoding/read-object.ts'
import { writeOptions } from './request/write-options.ts'
import { userInfo } from '../auth/identity/user-info.ts'
import { answerVirtual, virtualRendering } from './answer/virtual-answer.ts'

/** The serverContext of reviews. */
export interface ReviewContext {
  readonly access: Pick<Access, 'authorizer' | 'identify'>
  readonly operations: Pick<ObjectOperations, 'admittedObject'>
  readonly decoders: BodyDecoders
  readonly now: () => number
}

type Review = (context: ReviewContext, exchange: Exchange, request: ObjectRequest) => Promise<void>
type Answer = (spec: JsonObject, request: ObjectRequest, context: ReviewContext) => JsonObject
type Validate = (object: KubeObject) => readonly FieldError[]

/** Reviews that are answered and never stored: of the user itself, and of what users may do. */
export const reviews: Readonly<Record<string, Review>> = {
  'tokenreviews.authentication.k8s.io': reviewer(tokenReview),
  'selfsubjectreviews.authentication.k8s.io': reviewer(
    (_spec, { caller }) => ({ userInfo: userInfo(caller) }),
    undefined,
    (object, now) => ({ ...object, metadata: { creationTimestamp: now } }),
  ),
  'selfsubjectaccessreviews.authorization.k8s.io': reviewer(
    (spec, { caller }, { access }) => answerOf(access.authorizer, caller, spec),
    (object) => [...validateAttributes(object), ...validateMetadata(object)],
  ),
  'subjectaccessreviews.authorization.k8s.io': reviewer(
    (spec, _request, { access }) => answerOf(access.authorizer, subjectOf(spec), spec),
    (object) => [...validateAttributes(object), ...validateSubject(object), ...validateMetadata(object)],
  ),
  'localsubjectaccessreviews.authorization.k8s.io': reviewer(
    (spec, _request, { access }) => answerOf(access.authorizer, subjectOf(spec), spec),
    (object) => [...validateAttributes(object), ...validateSubject(object), ...validateLocality(object)],
  ),
  // Upstream answers this one with its status alone.
  'selfsubjectrulesreviews.authorization.k8s.io': reviewer(
    ({ namespace: asked }: SelfSubjectRulesReviewSpec, { caller }, { access }) => {
      const namespace = textOf(asked)
      if (namespace === '') throw badRequest('no namespace on request')
      const { rules, errors } = access.authorizer.rulesFor(caller, namespace)
      return {
        resourceRules: rules.filter(({ resources }) => resources.length > 0).map(ruleObject),
        nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs.length > 0).map(ruleObject),
        incomplete: errors.length > 0,
        ...(errors.length === 0 ? {} : { evaluationError: aggregate(errors) }),
      }
    },
    undefined,
    (object) => ({ ...object, metadata: { creationTimestamp: null }, spec: {} }),
  ),
}

type Shown = (object: KubeObject, now: string) => JsonObject

function reviewer(answer: Answer, validate?: Validate, shown: Shown = (object) => object): Review {
  return async (context, exchange, request) => {
    const rendering = virtualRendering(exchange, request.resource)
    const { validation, dryRun, manager, options } = writeOptions(exchange, 'CreateOptions')
    const { warn } = warnings(exchange)
    const { value, duplicates } = await readValue(context.decoders, exchange, validation, request.resource.served.kind)
    const { object: sent } = toObject(request.resource, value, duplicates, validation)
    const object = await context.operations.admittedObject({ ...request, dryRun, manager, options, warn }, sent)
    const errors = validate?.(object) ?? []
    // Upstream has forgotten the kind by then.
    if (errors.length > 0) throw invalid({ group: request.resource.served.group, kind: '' }, '', errors)
    const now = timestamp(context.now())
    const status = answer(objectOf(object['spec']), request, context)
    answerVirtual(exchange, { ...shown(object, now), status }, rendering)
  }
}

function tokenReview(spec: TokenReviewSpec, _request: ObjectRequest, { access }: ReviewContext): JsonObject {
  const token = textOf(spec.token)
  if (token === '') throw badRequest('token is required for TokenReview in authentication')
  const asked = textsOf(spec.audiences)
  const found = asked.length === 0 ? access.identify(token) : access.identify(token, asked)
  if (found === undefined) return { user: {}, error: 'invalid bearer token' }
  return { authenticated: true, user: userInfo(found.caller), audiences: found.audiences }
}

function answerOf(authorizer: Authorizer, caller: Caller, spec: SubjectAccessReviewSpec): JsonObject {
  const { allowed, reason } = authorizer.decide(caller, actionOf(spec))
  return { allowed, ...(reason === '' ? {} : { reason }) }
}

function actionOf(spec: SubjectAccessReviewSpec): Action {
  if (isObject(spec.nonResourceAttributes)) {
    const { verb, path } = objectOf(spec.nonResourceAttributes)
    return { type: 'path', verb: textOf(verb), path: textOf(path) }
  }
  const attributes = objectOf(spec.resourceAttributes)
  const text = (field: keyof ResourceAttributes): string => textOf(attributes[field])
  return {
    type: 'resource',
    verb: text('verb'),
    group: text('group'),
    resource: text('resource'),
    subresource: text('subresource'),
    namespace: text('namespace'),
    name: text('name'),
  }
}

const subjectOf = (spec: SubjectAccessReviewSpec): Caller => ({ name: textOf(spec.user), groups: textsOf(spec.groups) })

/** The questions about what somebody may do. */
type AccessReview = SubjectAccessReview | LocalSubjectAccessReview | SelfSubjectAccessReview

function validateAttributes(object: AccessReview): readonly FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = specOf(object)
  const [resource, path] = [isObject(resourceAttributes), isObject(nonResourceAttributes)]
  if (resource && path)
    return [
      invalidField(
        'spec.nonResourceAttributes',
        nonResourceAttributes,
        'cannot be specified in combination with resourceAttributes',
      ),
    ]
  const sentence = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
  return resource || path ? [] : [invalidField('spec.resourceAttributes', null, sentence)]
}

function validateSubject(object: SubjectAccessReview): readonly FieldError[] {
  const { user, groups } = specOf(object)
  return textOf(user) === '' && textsOf(groups).length === 0
    ? [invalidField('spec.user', '', 'at least one of user or group must be specified')]
    : []
}

/** A question has no name, nor anything else of an object. */
function validateMetadata({ metadata }: KubeObject, but: 'namespace' | '' = ''): readonly FieldError[] {
  const set = Object.keys(metadata).filter((name) => name !== 'managedFields' && name !== but)
  if (set.length === 0) return []
  return [invalidField('metadata', metadata, but === '' ? 'must be empty' : `must be empty except for ${but}`)]
}

/** A question about a namespace is asked there. */
function validateLocality(object: AccessReview): readonly FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = specOf(object)
  const namespace = textOf(objectOf(resourceAttributes)['namespace'])
  return [
    ...validateMetadata(object, 'namespace'),
    ...(isObject(resourceAttributes) && namespace !== object.metadata.namespace
      ? [invalidField('spec.resourceAttributes.namespace', namespace, 'must match metadata.namespace')]
      : []),
    ...(isObject(nonResourceAttributes)
      ? [invalidField('spec.nonResourceAttributes', nonResourceAttributes, 'disallowed on this kind of request')]
      : []),
  ]
}
