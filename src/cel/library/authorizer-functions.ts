import { isDNS1123Subdomain, isDNS1123Label } from '../../machinery/names.ts'
import { member, text } from './declaration.ts'
import type { Library, Overload, Param } from './declaration.ts'
import { BOOL, STRING, AUTHORIZER, DECISION, GROUP_CHECK, PATH_CHECK, RESOURCE_CHECK } from '../types/cel-type.ts'
import { Failure } from '../types/scalar.ts'
import type { CelValue } from '../types/value.ts'
import { AuthorizationDecision, CelAuthorizer, GroupCheck, PathCheck, ResourceCheck } from '../types/authorization.ts'
import type { AuthorizationAnswer, AuthorizationQuery } from '../types/authorization.ts'

const of = <T extends CelValue>(type: Param<T>['type'], kind: abstract new (...args: never[]) => T): Param<T> => ({
  type,
  read: (value) => (value instanceof kind ? value : undefined),
})

const authorizer = of(AUTHORIZER, CelAuthorizer)
const pathCheck = of(PATH_CHECK, PathCheck)
const groupCheck = of(GROUP_CHECK, GroupCheck)
const resourceCheck = of(RESOURCE_CHECK, ResourceCheck)
const decision = of(DECISION, AuthorizationDecision)

const NOTHING: Omit<AuthorizationQuery, 'verb'> = { group: '', resource: '', subresource: '', namespace: '', name: '' }

const narrowing = (id: string, field: 'subresource' | 'namespace' | 'name'): readonly Overload[] => [
  member(id, [resourceCheck, text], RESOURCE_CHECK, ([check, value]) => check.with({ [field]: value })),
]

const ask = (by: CelAuthorizer, query: AuthorizationQuery): AuthorizationDecision =>
  new AuthorizationDecision(by.authorize(query, by.account))

function accountOf(by: CelAuthorizer, namespace: string, name: string): CelAuthorizer | Failure {
  const [inName] = isDNS1123Subdomain(name)
  if (inName !== undefined) return new Failure(`Invalid service account name`)
  const [inNamespace] = isDNS1123Label(namespace)
  if (inNamespace !== undefined) return new Failure(`Invalid service account namespace`)
  return new CelAuthorizer(by.authorize, { namespace, name })
}

const field = (
  id: string,
  type: typeof BOOL,
  get: (answer: AuthorizationAnswer) => string | boolean,
): readonly Overload[] => [member(id, [decision], type, ([{ answer }]) => get(answer))]

/** The questions of admission expressions about access. */
export const authorizers: Library = [
  [
    'path',
    [
      member('authorizer_path', [authorizer, text], PATH_CHECK, ([by, path]) =>
        path === '' ? new Failure('path must not be empty') : new PathCheck(by, path),
      ),
    ],
  ],
  ['group', [member('authorizer_group', [authorizer, text], GROUP_CHECK, ([by, group]) => new GroupCheck(by, group))]],
  [
    'serviceAccount',
    [
      member('authorizer_serviceaccount', [authorizer, text, text], AUTHORIZER, ([by, namespace, name]) =>
        accountOf(by, namespace, name),
      ),
    ],
  ],
  [
    'resource',
    [
      member('groupcheck_resource', [groupCheck, text], RESOURCE_CHECK, ([{ authorizer: by, group }, resource]) =>
        resource === ''
          ? new Failure('resource must not be empty')
          : new ResourceCheck(by, { ...NOTHING, group, resource }),
      ),
    ],
  ],
  ['subresource', narrowing('resourcecheck_subresource', 'subresource')],
  ['namespace', narrowing('resourcecheck_namespace', 'namespace')],
  ['name', narrowing('resourcecheck_name', 'name')],
  [
    'fieldSelector',
    [member('authorizer_fieldselector', [resourceCheck, text], RESOURCE_CHECK, ([check]) => check.with({}))],
  ],
  [
    'labelSelector',
    [member('authorizer_labelselector', [resourceCheck, text], RESOURCE_CHECK, ([check]) => check.with({}))],
  ],
  [
    'check',
    [
      member('pathcheck_check', [pathCheck, text], DECISION, ([{ authorizer: by, path }, verb]) =>
        ask(by, { ...NOTHING, path, verb }),
      ),
      member('resourcecheck_check', [resourceCheck, text], DECISION, ([{ authorizer: by, query }, verb]) =>
        ask(by, { ...query, verb }),
      ),
    ],
  ],
  ['allowed', field('decision_allowed', BOOL, ({ allowed }) => allowed)],
  ['reason', field('decision_reason', STRING, ({ reason }) => reason)],
  ['errored', field('decision_errored', BOOL, ({ error }) => error !== undefined)],
  ['error', field('decision_error', STRING, ({ error = '' }) => error)],
]
