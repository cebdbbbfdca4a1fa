import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  CertificateSigningRequestStatus,
} from '../../builtin/certificates-v1.ts'
import {
  append,
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../machinery/field-error.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { absent, objectsOf, statusOf, textOf } from '../../machinery/read.ts'
import { set } from '../rule/change.ts'
import type { CertificateChecks } from './checks.ts'

const PATH = 'status.conditions'
/** Conditions that record the decision. Only an approver sets them, through `/approval`. */
const DECISIONS = ['Approved', 'Denied']
/** Conditions that are true once they are there, and stay. */
const FINAL = [...DECISIONS, 'Failed']
const STATUSES = ['True', 'False', 'Unknown']

const conditionsOf = (object: CertificateSigningRequest): readonly JsonObject[] =>
  objectsOf(statusOf(object).conditions)

const ofType = (object: CertificateSigningRequest, type: string): readonly JsonObject[] =>
  conditionsOf(object).filter((condition) => textOf(condition.type) === type)

/** The status with conditions that say when they were written, where that was not sent. */
export function withTimes(
  status: CertificateSigningRequestStatus,
  old: CertificateSigningRequest,
  now: string,
): JsonObject {
  if (absent(status.conditions)) return status
  const since = new Map<string, unknown>()
  for (const condition of conditionsOf(old))
    if (!absent(condition.lastTransitionTime) && !since.has(stateOf(condition)))
      since.set(stateOf(condition), condition.lastTransitionTime)
  return set(
    status,
    'conditions',
    objectsOf(status.conditions).map((condition) => ({
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? now,
      lastTransitionTime: condition.lastTransitionTime ?? since.get(stateOf(condition)) ?? now,
    })),
  )
}

const stateOf = ({ type, status }: CertificateSigningRequestCondition): string => `${textOf(status)} ${textOf(type)}`

/** The status with what was decided as it was, where as many decisions were sent as there were. */
export function withDecisionsOf(status: CertificateSigningRequestStatus, old: CertificateSigningRequest): JsonObject {
  if (absent(status.conditions)) return status
  const sent = objectsOf(status.conditions)
  const kept = new Map<JsonObject, JsonObject>()
  for (const type of DECISIONS) {
    const before = ofType(old, type)
    const now = sent.filter((condition) => textOf(condition.type) === type)
    if (now.length === before.length) now.forEach((condition, index) => kept.set(condition, before[index] ?? condition))
  }
  return set(
    status,
    'conditions',
    sent.map((condition) => kept.get(condition) ?? condition),
  )
}

/**
 * The errors in the new status of a request for a certificate (certificates `validateConditions` and
 * `validateCertificateSigningRequestUpdate`). Mistakes that an object had already may stay.
 */
export function validateCertificateStatus(
  object: CertificateSigningRequest,
  old: CertificateSigningRequest,
  { mayDecide, issuedProblem }: { readonly mayDecide: boolean } & Pick<CertificateChecks, 'issuedProblem'>,
): readonly FieldError[] {
  const errors: FieldError[] = [...validateConditions(object, old)]
  append(errors, validateCertificate(object, old, issuedProblem))
  for (const type of FINAL)
    if (ofType(object, type).length < ofType(old, type).length)
      errors.push(forbidden(PATH, `updates may not remove a condition of type "${type}"`))
  if (!mayDecide)
    for (const type of DECISIONS)
      if (ofType(object, type).length > ofType(old, type).length)
        errors.push(forbidden(PATH, `updates may not add a condition of type "${type}"`))
  if (certificateOf(old) !== '' && certificateOf(object) !== certificateOf(old))
    errors.push(forbidden('status.certificate', 'updates may not modify existing certificate content'))
  return errors
}

function validateConditions(object: CertificateSigningRequest, old: CertificateSigningRequest): readonly FieldError[] {
  const tolerates = {
    emptyTypes: ofType(old, '').length > 0,
    repeatedTypes: new Set(conditionsOf(old).map(({ type }) => textOf(type))).size < conditionsOf(old).length,
    bothDecisions: DECISIONS.every((type) => ofType(old, type).length > 0),
  }
  const errors: FieldError[] = []
  const seen = new Set<string>()
  conditionsOf(object).forEach((condition, index) => {
    const path = `${PATH}[${index}]`
    const [type, status] = [textOf(condition.type), textOf(condition.status)]
    const allowed = FINAL.includes(type) ? ['True'] : STATUSES
    if (type === '' && !tolerates.emptyTypes) errors.push(required(`${path}.type`))
    if (status === '') errors.push(required(`${path}.status`))
    else if (!allowed.includes(status)) errors.push(notSupported(`${path}.status`, status, allowed))
    if (
      !tolerates.bothDecisions &&
      DECISIONS.some((other) => DECISIONS.includes(type) && other !== type && seen.has(other))
    )
      errors.push(invalid(PATH, type, 'Approved and Denied conditions are mutually exclusive'))
    if (seen.has(type) && !tolerates.repeatedTypes) errors.push(duplicate(`${path}.type`, type))
    seen.add(type)
  })
  return errors
}

const pemOf = (object: CertificateSigningRequest): string =>
  Buffer.from(certificateOf(object), 'base64').toString('latin1')
const certificateOf = (object: CertificateSigningRequest): string => textOf(statusOf(object).certificate)

function validateCertificate(
  object: CertificateSigningRequest,
  old: CertificateSigningRequest,
  issuedProblem: CertificateChecks['issuedProblem'],
): readonly FieldError[] {
  if (certificateOf(object) === certificateOf(old) || issuedProblem(pemOf(old)) !== undefined) return []
  const problem = issuedProblem(pemOf(object))
  return problem === undefined ? [] : [invalid('status.certificate', '<certificate data>', problem)]
}
