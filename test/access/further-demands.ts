import { base64, CERTIFICATE, signingRequest } from '../signing-request.ts'
import { as, bearer, type Headers, RBAC, roleRef, rule, userSubject } from '../api/access/role-objects.ts'

const RBAC_GROUP = 'rbac.authorization.k8s.io'
const CERTIFICATES = 'certificates.k8s.io'
const DEVICES = 'resource.k8s.io'
const ADMISSION = 'admissionregistration.k8s.io'
const AUTHENTICATION = 'authentication.k8s.io'
const MERGE = { 'content-type': 'application/merge-patch+json' }
const APPLY = { 'content-type': 'application/apply-patch+yaml' }
const SIGNER = 'harbour.test/signer'
const NODE = 'authentication.kubernetes.io/node-name'

/** A request; `_NS_` in its path and body stands for the test's namespace, `_USER_` for its user. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Headers
}

/** A write, or what comes with one, for which the verb on the resource is not enough. */
export interface FurtherDemand {
  readonly title: string
  /** The further permission of the caller, as the reference lists it; '' where the namespace must be labelled. */
  readonly verb: string
  readonly on: string
  /** The preparation by the administrator. */
  readonly before?: readonly Asked[]
  /** The permissions that the request needs besides. */
  readonly base: readonly object[]
  readonly asked: Asked
  readonly refusal: { readonly status: number; readonly message: string }
  /** The permission that makes it allowed; a label is written to the namespace instead. */
  readonly grant: readonly object[] | { readonly label: string }
  /** The resource and subresource of the strategy's guard, where it has one. */
  readonly guard?: string
  /** The caller; default: a user, by impersonation. `token`: an account of the namespace, with its token; headers: that account, by impersonation, and these. */
  readonly sender?: 'token' | Headers
  /** The codes of an allowed request; default 200 or 201. */
  readonly answer?: number
  /** Is it asked as WebSockets are? */
  readonly isUpgrade?: true
}

const post = (path: string, body: object): Asked => ({ method: 'POST', path, body })
const patch = (path: string, body: object): Asked => ({ method: 'PATCH', path, body, headers: MERGE })
const put = (path: string, body: object): Asked => ({ method: 'PUT', path, body })
const secrets = [rule('get', 'secrets')]
const everything = roleRef('ClusterRole', 'cluster-admin')

const csr = `/apis/${CERTIFICATES}/v1/certificatesigningrequests`
const request = (name: string): Asked =>
  post(csr, {
    metadata: { name },
    spec: { request: base64(signingRequest()), signerName: SIGNER, usages: ['client auth'] },
  })
const decision = (type: string): object => ({ status: { conditions: [{ type, status: 'True' }] } })
const signer = (verb: string): readonly object[] => [rule(verb, 'signers', CERTIFICATES, { resourceNames: [SIGNER] })]

const claims = `/apis/${DEVICES}/v1/namespaces/_NS_/resourceclaims`
const exactly = { deviceClassName: 'crane.test' }
const claimSpec = (more: object = {}): object => ({
  devices: { requests: [{ name: 'r', exactly: { ...exactly, ...more } }] },
})
const claim = post(claims, { metadata: { name: 'c' }, spec: claimSpec() })
const onNode = (name: string): object => ({
  nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }],
})
const result = { request: 'r', driver: 'crane.test', pool: 'p', device: 'd' }
const allocation = { devices: { results: [result] }, nodeSelector: onNode('quay') }
const allocated = patch(`${claims}/c/status`, { status: { allocation } })
const report = { driver: 'crane.test', pool: 'p', device: 'd' }
const reported = patch(`${claims}/c/status`, { status: { devices: [report] } })
const claimStatus = [rule('patch update', 'resourceclaims/status', DEVICES)]
const ofDriver = { resourceNames: ['crane.test'] }
const labelMessage =
  'adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace'

const constraints = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
}
const paramKind = { apiVersion: 'v1', kind: 'Secret' }
const policyOf = {
  validatingadmissionpolicies: {
    matchConstraints: constraints,
    validations: [{ expression: 'true' }],
  },
  mutatingadmissionpolicies: {
    matchConstraints: constraints,
    reinvocationPolicy: 'Never',
    mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[]' } }],
  },
} as const
const bindingOf = {
  validatingadmissionpolicies: { validationActions: ['Deny'] },
  mutatingadmissionpolicies: {},
} as const

function admission(policies: keyof typeof policyOf): readonly FurtherDemand[] {
  const path = `/apis/${ADMISSION}/v1/${policies}`
  const bindings = policies.replace('policies', 'policybindings')
  const policy = (name: string, more: object): Asked =>
    post(path, { metadata: { name: `${name}-_NS_` }, spec: { ...policyOf[policies], ...more } })
  const binding = (policyName: string, paramRef: object): Asked =>
    post(`/apis/${ADMISSION}/v1/${bindings}`, {
      metadata: { name: 'b-_NS_-_USER_' },
      spec: { policyName, paramRef: { parameterNotFoundAction: 'Deny', ...paramRef }, ...bindingOf[policies] },
    })
  const base = [rule('create update', `${policies} ${bindings}`, ADMISSION)]
  const who = 'user &{_USER_  [system:authenticated] map[]}'
  const bound = {
    status: 422,
    message: `spec.paramRef: Forbidden: ${who} does not have "get" permission on the object`,
  }
  const kind = {
    status: 422,
    message: `spec.paramKind: Forbidden: ${who} must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)`,
  }
  return [
    {
      title: `${policies} with a kind of parameters`,
      verb: 'get',
      on: 'the resource of a paramKind',
      base,
      asked: policy('_USER_', { paramKind }),
      refusal: kind,
      grant: secrets,
      guard: `${policies}.${ADMISSION}`,
    },
    {
      title: `${policies} that get a kind of parameters`,
      verb: 'get',
      on: 'the resource of a paramKind',
      before: [policy('_USER_', {})],
      base: [...base, rule('patch', policies, ADMISSION)],
      asked: patch(`${path}/_USER_-_NS_`, { spec: { paramKind } }),
      refusal: kind,
      grant: secrets,
      guard: `${policies}.${ADMISSION}`,
    },
    {
      title: `${bindings} with a parameter`,
      verb: 'get',
      on: 'the object of a paramRef',
      before: [policy('_USER_', { paramKind })],
      base,
      asked: binding('_USER_-_NS_', { name: 's', namespace: '_NS_' }),
      refusal: bound,
      grant: [rule('get', 'secrets', '', { resourceNames: ['s'] })],
      guard: `${bindings}.${ADMISSION}`,
    },
    {
      title: `${bindings} with selected parameters`,
      verb: 'list',
      on: 'the objects of a paramRef',
      before: [policy('_USER_', { paramKind })],
      base,
      asked: binding('_USER_-_NS_', { selector: {}, namespace: '_NS_' }),
      refusal: { ...bound, message: bound.message.replace('"get"', '"list"') },
      grant: [rule('list', 'secrets')],
      guard: `${bindings}.${ADMISSION}`,
    },
    {
      title: `${bindings} with a parameter of a policy that is not there`,
      verb: 'get',
      on: 'the object of a paramRef',
      base: [...base, ...secrets],
      asked: binding('missing', { name: 's', namespace: '_NS_' }),
      refusal: {
        status: 422,
        message: `unable to get policy missing to determine minimum required permissions and ${who} does not have "get" permission for all groups, versions and resources`,
      },
      grant: [rule('get', '*', '*')],
      guard: `${bindings}.${ADMISSION}`,
    },
  ]
}

function impersonating(title: string, verb: string, on: string, headers: Headers, grant: object): FurtherDemand {
  return {
    title,
    verb,
    on,
    base: title === 'acting as a user' ? [] : [rule('impersonate', 'users', '', { resourceNames: ['mate'] })],
    asked: { ...post(`/apis/${AUTHENTICATION}/v1/selfsubjectreviews`, {}), headers },
    refusal: { status: 403, message: `cannot impersonate resource` },
    grant: [grant],
    sender: 'token',
  }
}

const mate = { 'impersonate-user': 'mate' }

function stream(subresource: string): FurtherDemand {
  return {
    title: `a WebSocket to pods/${subresource}`,
    verb: 'create',
    on: `pods/${subresource}`,
    before: [
      post('/api/v1/namespaces/_NS_/pods', {
        metadata: { name: 'p' },
        spec: { nodeName: 'n', containers: [{ name: 'c', image: 'x' }] },
      }),
    ],
    base: [rule('get', `pods/${subresource}`)],
    asked: { method: 'GET', path: `/api/v1/namespaces/_NS_/pods/p/${subresource}` },
    refusal: { status: 403, message: `cannot create resource "pods/${subresource}"` },
    grant: [rule('create', `pods/${subresource}`)],
    // Nothing runs here.
    answer: 503,
    isUpgrade: true,
  }
}

/**
 * All that Kubernetes 1.36 demands of a caller besides the verb on the resource: its strategies and admission plugins that ask
 * an authorizer, and the label that stands for one.
 */
export const FURTHER_DEMANDS: readonly FurtherDemand[] = [
  {
    title: 'a role with more than its author holds',
    verb: 'escalate',
    on: 'roles',
    base: [rule('create', 'roles', RBAC_GROUP)],
    asked: post(`${RBAC}/namespaces/_NS_/roles`, { metadata: { name: 'r' }, rules: secrets }),
    refusal: { status: 403, message: 'is attempting to grant RBAC permissions not currently held:' },
    grant: [rule('escalate', 'roles', RBAC_GROUP)],
  },
  {
    title: 'a cluster role with more than its author holds',
    verb: 'escalate',
    on: 'clusterroles',
    base: [rule('create', 'clusterroles', RBAC_GROUP)],
    asked: post(`${RBAC}/clusterroles`, { metadata: { name: 'r-_USER_' }, rules: secrets }),
    refusal: { status: 403, message: 'is attempting to grant RBAC permissions not currently held:' },
    grant: [rule('escalate', 'clusterroles', RBAC_GROUP)],
  },
  {
    title: 'a binding of a role',
    verb: 'bind',
    on: 'roles',
    before: [post(`${RBAC}/namespaces/_NS_/roles`, { metadata: { name: 'r' }, rules: secrets })],
    base: [rule('create', 'rolebindings', RBAC_GROUP)],
    asked: post(`${RBAC}/namespaces/_NS_/rolebindings`, {
      metadata: { name: 'b' },
      subjects: [userSubject('_USER_')],
      roleRef: roleRef('Role', 'r'),
    }),
    refusal: { status: 403, message: 'is attempting to grant RBAC permissions not currently held:' },
    grant: [rule('bind', 'roles', RBAC_GROUP, { resourceNames: ['r'] })],
  },
  {
    title: 'a binding of a cluster role',
    verb: 'bind',
    on: 'clusterroles',
    base: [rule('create', 'clusterrolebindings', RBAC_GROUP)],
    asked: post(`${RBAC}/clusterrolebindings`, {
      metadata: { name: 'b-_USER_' },
      subjects: [],
      roleRef: everything,
    }),
    refusal: { status: 403, message: 'is attempting to grant RBAC permissions not currently held:' },
    grant: [rule('bind', 'clusterroles', RBAC_GROUP, { resourceNames: ['cluster-admin'] })],
  },
  {
    title: 'the approval of a request for a certificate',
    verb: 'approve',
    on: 'signers',
    before: [request('_USER_')],
    base: [rule('patch', 'certificatesigningrequests/approval', CERTIFICATES)],
    asked: patch(`${csr}/_USER_/approval`, decision('Approved')),
    refusal: { status: 403, message: `user not permitted to approve requests with signerName "${SIGNER}"` },
    grant: signer('approve'),
  },
  {
    title: 'the certificate of a request',
    verb: 'sign',
    on: 'signers',
    before: [request('_USER_')],
    base: [rule('patch', 'certificatesigningrequests/status', CERTIFICATES)],
    asked: patch(`${csr}/_USER_/status`, { status: { certificate: base64(CERTIFICATE) } }),
    refusal: { status: 403, message: `user not permitted to sign requests with signerName "${SIGNER}"` },
    grant: signer('sign'),
  },
  impersonating('acting as a user', 'impersonate', 'users', mate, rule('impersonate', 'users')),
  impersonating(
    'acting as a member of a group',
    'impersonate',
    'groups',
    { ...mate, 'impersonate-group': 'crew' },
    rule('impersonate', 'groups', '', { resourceNames: ['crew'] }),
  ),
  impersonating(
    'acting as a ServiceAccount',
    'impersonate',
    'serviceaccounts',
    { 'impersonate-user': 'system:serviceaccount:_NS_:cook' },
    rule('impersonate', 'serviceaccounts', '', { resourceNames: ['cook'] }),
  ),
  impersonating(
    'acting with a uid',
    'impersonate',
    'uids',
    { ...mate, 'impersonate-uid': '7' },
    rule('impersonate', 'uids', AUTHENTICATION),
  ),
  impersonating(
    'acting with more about a user',
    'impersonate',
    'userextras',
    { ...mate, 'impersonate-extra-rank': 'second' },
    rule('impersonate', 'userextras/rank', AUTHENTICATION),
  ),
  {
    title: 'the allocation of a claim',
    verb: 'update, patch',
    on: 'resourceclaims/binding',
    before: [claim],
    base: claimStatus,
    asked: allocated,
    refusal: {
      status: 422,
      message:
        'status: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="patch" permission: resourceclaims.resource.k8s.io is forbidden: User "_USER_" cannot patch resource "resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope',
    },
    grant: [rule('patch', 'resourceclaims/binding', DEVICES)],
    guard: `resourceclaims.${DEVICES}/status`,
  },
  {
    title: 'the allocation of a claim, as a whole',
    verb: 'update, patch',
    on: 'resourceclaims/binding',
    before: [claim],
    base: claimStatus,
    asked: put(`${claims}/c/status`, { metadata: { name: 'c' }, spec: claimSpec(), status: { allocation } }),
    refusal: { status: 422, message: 'verb="update" permission' },
    grant: [rule('update', 'resourceclaims/binding', DEVICES)],
    guard: `resourceclaims.${DEVICES}/status`,
  },
  {
    title: 'the report of a driver about its devices',
    verb: 'arbitrary-node:update, arbitrary-node:patch',
    on: 'resourceclaims/driver',
    before: [claim, allocated],
    base: claimStatus,
    asked: reported,
    refusal: {
      status: 422,
      message:
        'status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[arbitrary-node:patch]" permission: resourceclaims.resource.k8s.io "crane.test" is forbidden: User "_USER_" cannot arbitrary-node:patch resource "resourceclaims/driver" in API group "resource.k8s.io" in the namespace "_NS_"',
    },
    grant: [rule('arbitrary-node:patch', 'resourceclaims/driver', DEVICES, ofDriver)],
    guard: `resourceclaims.${DEVICES}/status`,
  },
  {
    title: 'the report of a driver on the node of a claim',
    verb: 'associated-node:update, associated-node:patch',
    on: 'resourceclaims/driver',
    before: [claim, allocated],
    base: claimStatus,
    asked: reported,
    refusal: { status: 422, message: 'verb="[associated-node:patch arbitrary-node:patch]"' },
    grant: [rule('associated-node:patch', 'resourceclaims/driver', DEVICES, ofDriver)],
    guard: `resourceclaims.${DEVICES}/status`,
    sender: { [`impersonate-extra-${encodeURIComponent(NODE)}`]: 'quay' },
  },
  {
    title: 'devices of administrators in a claim',
    verb: '',
    on: 'resourceclaims',
    base: [rule('create', 'resourceclaims', DEVICES)],
    asked: post(claims, { metadata: { name: 'c' }, spec: claimSpec({ adminAccess: true }) }),
    refusal: { status: 422, message: `spec.devices.requests[0].${labelMessage}` },
    grant: { label: 'resource.kubernetes.io/admin-access' },
    guard: `resourceclaims.${DEVICES}`,
  },
  {
    title: 'devices of administrators in a template of claims',
    verb: '',
    on: 'resourceclaimtemplates',
    base: [rule('create', 'resourceclaimtemplates', DEVICES)],
    asked: post(`/apis/${DEVICES}/v1/namespaces/_NS_/resourceclaimtemplates`, {
      metadata: { name: 'c' },
      spec: { spec: claimSpec({ adminAccess: true }) },
    }),
    refusal: { status: 422, message: `spec.devices.requests[0].${labelMessage}` },
    grant: { label: 'resource.kubernetes.io/admin-access' },
    guard: `resourceclaimtemplates.${DEVICES}`,
  },
  {
    title: 'devices of administrators in an allocation',
    verb: '',
    on: 'resourceclaims/status',
    before: [claim],
    base: [...claimStatus, rule('patch', 'resourceclaims/binding', DEVICES)],
    asked: patch(`${claims}/c/status`, {
      status: { allocation: { ...allocation, devices: { results: [{ ...result, adminAccess: true }] } } },
    }),
    refusal: { status: 422, message: `status.allocation.devices.results[0].${labelMessage}` },
    grant: { label: 'resource.kubernetes.io/admin-access' },
    guard: `resourceclaims.${DEVICES}/status`,
  },
  ...admission('validatingadmissionpolicies'),
  ...admission('mutatingadmissionpolicies'),
  {
    title: 'an update that creates',
    verb: 'create',
    on: 'what an update or a patch would make',
    base: [rule('update', 'leases', 'coordination.k8s.io')],
    asked: put('/apis/coordination.k8s.io/v1/namespaces/_NS_/leases/l', { metadata: { name: 'l' }, spec: {} }),
    refusal: { status: 403, message: 'cannot create resource "leases"' },
    grant: [rule('create', 'leases', 'coordination.k8s.io')],
  },
  {
    title: 'an apply that creates',
    verb: 'create',
    on: 'what an update or a patch would make',
    base: [rule('patch', 'configmaps')],
    asked: {
      method: 'PATCH',
      path: '/api/v1/namespaces/_NS_/configmaps/m?fieldManager=x',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } },
      headers: APPLY,
    },
    refusal: { status: 403, message: 'cannot create resource "configmaps"' },
    grant: [rule('create', 'configmaps')],
  },
  ...['exec', 'attach', 'portforward'].map(stream),
]

/**
 * Strategies and plugins of upstream that demand more for resources of versions that this server does not serve. A change that serves
 * them brings the demand, and moves it to the table.
 */
export const UNSERVED_DEMANDS: readonly { readonly resource: string; readonly demands: string }[] = [
  { resource: 'clustertrustbundles.certificates.k8s.io', demands: 'attest on signers' },
  { resource: 'podcertificaterequests.certificates.k8s.io', demands: 'sign on signers' },
]

/** The headers of the client: the user or an account of the namespace. */
export function senderHeaders({ sender }: FurtherDemand, user: string, token: string): Headers {
  if (sender === 'token') return bearer(token)
  return { ...as(user), ...sender }
}
