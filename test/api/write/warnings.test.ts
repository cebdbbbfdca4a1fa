import { beforeAll, describe, expect, test } from 'vitest'
import { makeAuthority } from '../../../src/runtime/certificate/certificates.ts'
import { customQuota } from '../../../src/systems/custom-quota/api/custom-quota.ts'
import { customVersion } from '../../custom-version.ts'
import { apiServer, MERGE } from '../api-server.ts'

const api = apiServer()

/** The warnings of an answer, whatever else it is. */
async function warned(
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const response = await fetch(api.running.url + path, {
    method,
    headers: { authorization: `Bearer ${api.running.token}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  await response.text()
  const text = response.headers.get('warning') ?? ''
  return text === ''
    ? []
    : Buffer.from(text, 'latin1')
        .toString()
        .split(/, (?=299 - )/)
        .map((one) => one.slice('299 - "'.length, -1))
}

test('every request to a deprecated version of a custom resource is warned of it', async () => {
  const ns = await api.namespace()
  const versions = [
    customVersion('v1alpha1', { storage: false, deprecated: true }),
    customVersion('v1beta1', { storage: false, deprecated: true, deprecationWarning: 'láss "es"' }),
    customVersion('v1'),
  ]
  await api.define('sloops', { versions })
  const root = '/apis/harbour.test'
  await api.until(`${root}/v1/sloops`, ({ kind }) => kind === 'SloopList')
  const old = 'harbour.test/v1alpha1 Sloop is deprecated; use harbour.test/v1 Sloop'
  const own = ns.replace('/api/v1', `${root}/v1alpha1`) + '/sloops'
  expect(await warned('GET', `${root}/v1alpha1/sloops`)).toEqual([old])
  expect(await warned('GET', `${own}/missing`)).toEqual([old])
  expect(await warned('GET', `${own}?watch=1&timeoutSeconds=1`)).toEqual([old])
  const sloop = { apiVersion: 'harbour.test/v1alpha1', kind: 'Sloop', metadata: { name: 'a' } }
  expect(await warned('POST', own, sloop)).toEqual([old])
  expect(await warned('PATCH', `${own}/a`, {}, MERGE)).toEqual([old])
  expect(await warned('DELETE', own)).toEqual([old])
  expect(await warned('GET', `${root}/v1beta1/sloops`)).toEqual(['láss \\"es\\"'])
  expect(await warned('GET', `${root}/v1/sloops`)).toEqual([])
})

test('built-in resources of the past are warned of', async () => {
  const endpoints = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'
  expect(await warned('GET', '/api/v1/endpoints')).toEqual([endpoints])
  expect(await warned('GET', '/api/v1/namespaces/default/endpoints/missing')).toEqual([endpoints])
  expect(await warned('GET', '/api/v1/componentstatuses')).toEqual(['v1 ComponentStatus is deprecated in v1.19+'])
  expect(await warned('GET', '/api/v1/services')).toEqual([])
})

test('a mistaken unit is warned of in pods and templates when they are made, and in templates when they change', async () => {
  const ns = await api.namespace()
  const spec = (memory: string) => ({ containers: [{ name: 'c', image: 'i', resources: { limits: { memory } } }] })
  const text = (path: string, value: string): string =>
    `${path}.containers[0].resources.limits[memory]: fractional byte value \\"${value}\\" is invalid, must be an integer`
  expect(await warned('POST', `${ns}/pods`, { metadata: { name: 'p' }, spec: spec('100m') })).toEqual([
    text('spec', '100m'),
    text('spec', '100m').replace('limits', 'requests'),
  ])
  expect(await warned('PATCH', `${ns}/pods/p`, { metadata: { labels: { a: 'b' } } }, MERGE)).toEqual([])
  const deployments = ns.replace('/api/v1', '/apis/apps/v1') + '/deployments'
  const template = (memory: string) => ({ metadata: { labels: { a: 'b' } }, spec: spec(memory) })
  const body = { metadata: { name: 'd.x' }, spec: { selector: { matchLabels: { a: 'b' } }, template: template('1m') } }
  expect(await warned('POST', deployments, body)).toEqual([
    expect.stringMatching(
      /^metadata.name: this is used in Pod names and hostnames, .*recommended: \[must not contain dots\]$/,
    ),
    text('spec.template.spec', '1m'),
  ])
  expect(await warned('PATCH', `${deployments}/d.x`, { metadata: { labels: { a: 'b' } } }, MERGE)).toEqual([])
  expect(await warned('PATCH', `${deployments}/d.x`, { spec: { template: template('2m') } }, MERGE)).toEqual([
    text('spec.template.spec', '2m'),
  ])
})

test('a policy that is stored and not evaluated is warned of', async () => {
  const root = '/apis/admissionregistration.k8s.io/v1'
  const policy = {
    metadata: { name: 'p' },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
      validations: [{ expression: 'true' }],
    },
  }
  const binding = { metadata: { name: 'b' }, spec: { policyName: 'p', validationActions: ['Deny'] } }
  const warning = 'allot up stores ValidatingAdmissionPolicies but does not evaluate them'
  expect(await warned('POST', `${root}/validatingadmissionpolicies`, policy)).toEqual([warning])
  expect(await warned('POST', `${root}/validatingadmissionpolicybindings`, binding)).toEqual([warning])
  const change = { spec: { validationActions: ['Warn'] } }
  expect(await warned('PATCH', `${root}/validatingadmissionpolicybindings/b`, change, MERGE)).toEqual([warning])
})

test('a level of Pod Security causes a warning that it has no effect', async () => {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
  const warning = 'allot up does not enforce Pod Security: the label pod-security.kubernetes.io/enforce has no effect'
  expect(await warned('POST', '/api/v1/namespaces', { metadata: { name: 'secure', labels } })).toEqual([warning])
  const other = { metadata: { labels: { a: 'b' } } }
  expect(await warned('PATCH', '/api/v1/namespaces/secure', other, MERGE)).toEqual([])
})

const CLASS = 'volume.beta.kubernetes.io/storage-class'
const CLASS_TEXT = `metadata.annotations[${CLASS}]: deprecated since v1.8; use \\"storageClassName\\" attribute instead`

describe('deprecated and useless fields cause warnings', () => {
  let ns = ''
  beforeAll(async () => {
    ns = await api.namespace()
  })
  const on = (path: string): string => (path.startsWith('/') ? path : `${ns}/${path}`)
  const backend = { service: { name: 's', port: { number: 80 } } }
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
  const volume = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } }
  const zone = { key: 'failure-domain.beta.kubernetes.io/zone', operator: 'In', values: ['a'] }
  const zoned = 'deprecated since v1.17; use \\"topology.kubernetes.io/zone\\" instead'
  const service = { ports: [{ port: 80 }] }
  const ingresses = (): string => ns.replace('/api/v1', '/apis/networking.k8s.io/v1') + '/ingresses'

  test.each([
    ['persistentvolumeclaims', { metadata: { annotations: { [CLASS]: 'fast' } }, spec: claim }, [CLASS_TEXT]],
    [
      '/api/v1/persistentvolumes',
      {
        metadata: { annotations: { [CLASS]: 'fast' } },
        spec: {
          ...volume,
          persistentVolumeReclaimPolicy: 'Recycle',
          nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [zone] }] } },
        },
      },
      [
        CLASS_TEXT,
        expect.stringContaining('spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated.'),
        `spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: ${zone.key} is ${zoned}`,
      ],
    ],
    [
      '/apis/storage.k8s.io/v1/storageclasses',
      {
        provisioner: 'a.test/b',
        allowedTopologies: [{ matchLabelExpressions: [{ key: zone.key, values: ['a'] }] }],
      },
      [`allowedTopologies[0].matchLabelExpressions[0].key: ${zoned}`],
    ],
    [
      'services',
      { spec: { ...service, externalIPs: ['1.2.3.4'], trafficDistribution: 'PreferClose' } },
      [
        'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
        'spec.trafficDistribution: \\"PreferClose\\" is deprecated; use \\"PreferSameZone\\"',
      ],
    ],
    [
      'services',
      {
        metadata: { annotations: { 'service.kubernetes.io/topology-aware-hints': 'auto' } },
        spec: {
          ...service,
          type: 'LoadBalancer',
          externalName: 'a.test',
          loadBalancerIP: '2001:DB8::1',
          loadBalancerSourceRanges: ['10.0.0.1/8', '10.0.0.0/8', '2001:0db8::/32', '2001:db8::/32'],
        },
      },
      [
        'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
        'spec.loadBalancerIP: IPv6 address \\"2001:DB8::1\\" should be in RFC 5952 canonical format (\\"2001:db8::1\\")',
        'spec.loadBalancerSourceRanges[0]: CIDR value \\"10.0.0.1/8\\" is ambiguous in this context (should be \\"10.0.0.0/8\\" or \\"10.0.0.1/32\\"?)',
        'spec.loadBalancerSourceRanges[2]: IPv6 CIDR value \\"2001:0db8::/32\\" should be in RFC 5952 canonical format (\\"2001:db8::/32\\")',
        'spec.externalName is ignored when spec.type is not \\"ExternalName\\"',
      ],
    ],
    [
      'services',
      { spec: { ...service, clusterIP: 'None', externalIPs: ['1.2.3.4'], sessionAffinity: 'ClientIP' } },
      ['spec.externalIPs is ignored for headless services', 'spec.SessionAffinity is ignored for headless services'],
    ],
    [
      'serviceaccounts',
      { metadata: { annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } } },
      [
        'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets',
      ],
    ],
    [
      '/api/v1/nodes',
      { spec: { externalID: 'x', configSource: {} } },
      [
        'spec.configSource: the feature is removed',
        'spec.externalID: this field is deprecated, and is unused by Kubernetes',
      ],
    ],
  ])('in %s: %j', async (path, body, expected) => {
    const named = { ...body, metadata: { ...('metadata' in body ? body.metadata : {}), generateName: 'w-' } }
    expect(await warned('POST', on(path), named)).toEqual(expected)
  })

  test('the annotation for the class of an ingress, in new ones without the field', async () => {
    const annotations = { 'kubernetes.io/ingress.class': 'nginx' }
    const warning = `annotation \\"kubernetes.io/ingress.class\\" is deprecated, please use 'spec.ingressClassName' instead`
    const spec = { defaultBackend: backend }
    expect(await warned('POST', ingresses(), { metadata: { name: 'a', annotations }, spec })).toEqual([warning])
    const change = { metadata: { labels: { a: 'b' } } }
    expect(await warned('PATCH', `${ingresses()}/a`, change, MERGE)).toEqual([])
    const both = { ...spec, ingressClassName: 'nginx' }
    expect(await warned('POST', ingresses(), { metadata: { name: 'b', annotations }, spec: both })).toEqual([])
  })

  test('a certificate in a Secret that makes no pair with its key', async () => {
    const own = await makeAuthority(Date.now())
    const other = await makeAuthority(Date.now())
    const none = 'tls: failed to find any PEM data in certificate input'
    const cut = own.certificate.replace('MII', 'AAA')
    const dated = own.key.replaceAll('PRIVATE KEY', 'EC PARAMETERS')
    const pairs: readonly (readonly [string, string, readonly string[]])[] = [
      [own.certificate, own.key, []],
      [own.certificate + other.certificate, own.key, []],
      ['x', 'y', [none]],
      ['', own.key, [none]],
      ['-----BEGIN CERTIFICATE-----\nnever ends', own.key, [none]],
      [own.certificate, '', ['tls: failed to find any PEM data in key input']],
      [own.certificate, own.certificate, ['tls: found a certificate rather than a key in the PEM for the private key']],
      [
        own.key,
        own.certificate,
        [
          'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
        ],
      ],
      [
        own.certificate,
        dated,
        [
          'tls: failed to find PEM block with type ending in \\"PRIVATE KEY\\" in key input after skipping PEM blocks of the following types: [EC PARAMETERS]',
        ],
      ],
      [
        dated,
        own.key,
        [
          'tls: failed to find \\"CERTIFICATE\\" PEM block in certificate input after skipping PEM blocks of the following types: [EC PARAMETERS]',
        ],
      ],
      [cut, own.key, ['x509: malformed certificate']],
      [own.certificate, own.key.replace('MI', 'AA'), ['tls: failed to parse private key']],
      [own.certificate, other.key, ['tls: private key does not match public key']],
    ]
    for (const [certificate, key, expected] of pairs) {
      const stringData = { 'tls.crt': certificate, 'tls.key': key }
      const secret = { metadata: { generateName: 's-' }, type: 'kubernetes.io/tls', stringData }
      expect(await warned('POST', `${ns}/secrets`, secret)).toEqual(expected)
    }
    const opaque = { metadata: { generateName: 's-' }, stringData: { 'tls.crt': 'x', 'tls.key': 'y' } }
    expect(await warned('POST', `${ns}/secrets`, opaque)).toEqual([])
  })

  test('a finalizer of a custom resource that others may take too, when it comes', async () => {
    await api.define('ketches')
    const path = '/apis/harbour.test/v1/namespaces/default/ketches'
    await api.until(path, ({ kind }) => kind === 'KetcheList')
    const advice = (name: string): string =>
      `metadata.finalizers: \\"${name}\\": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers`
    const finalizers = ['ketch.harbour.test', 'harbour.test/anchor', 'foregroundDeletion', 'abc']
    const ketch = { apiVersion: 'harbour.test/v1', kind: 'Ketche', metadata: { name: 'a', finalizers } }
    expect(await warned('POST', path, ketch)).toEqual([advice('abc'), advice('ketch.harbour.test')])
    const more = { metadata: { finalizers: [...finalizers, 'new'] } }
    expect(await warned('PATCH', `${path}/a`, more, MERGE)).toEqual([advice('new')])
    expect(await warned('PATCH', `${path}/a`, { spec: { a: 1 } }, MERGE)).toEqual([])
    const left = { metadata: { finalizers: [] } }
    expect(await warned('PATCH', `${path}/a`, left, MERGE)).toEqual([])
  })

  test('a format in the schema of a definition that nothing checks', async () => {
    const names = { plural: 'yawls', singular: 'yawl', kind: 'Yawl', listKind: 'YawlList' }
    const of = (...formats: readonly (readonly [string, string])[]): object => ({
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: Object.fromEntries(formats.map(([type, format], at) => [`f${at}`, { type, format }])),
          },
        },
      },
    })
    const version = (schema: object) => [customVersion('v1', { schema })]
    const known: readonly (readonly [string, string])[] = [
      ['string', 'date-time'],
      ['integer', 'int64'],
      ['number', 'double'],
      ['string', 'k8s-short-name'],
    ]
    const definition = (versions: unknown): object => ({
      metadata: { name: 'yawls.harbour.test' },
      spec: { group: 'harbour.test', scope: 'Namespaced', names, versions },
    })
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    const unknownFormat = (format: string): string => `unrecognized format \\"${format}\\"`
    const first = of(...known, ['string', 'semver'], ['integer', 'double'], ['string', 'semver'])
    expect((await warned('POST', path, definition(version(first)))).toSorted()).toEqual([
      unknownFormat('double'),
      unknownFormat('semver'),
    ])
    const next = { spec: { versions: version(of(['string', 'semver'], ['string', 'purl'])) } }
    expect(await warned('PATCH', `${path}/yawls.harbour.test`, next, MERGE)).toEqual([unknownFormat('purl')])
  })
})

test('a workload is judged by counts alone while a webhook may change pods, and not with too many containers', async () => {
  const ns = await api.namespace()
  const deployments = ns.replace('/api/v1', '/apis/apps/v1') + '/deployments'
  const hard = { pods: '1', 'requests.cpu': '1' }
  expect(await warned('POST', `${ns}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard } })).toEqual([])
  const create = (name: string, containers: number): Promise<readonly string[]> => {
    const resources = { requests: { cpu: '1' } }
    const all = Array.from({ length: containers }, (_, index) => ({ name: `c${index}`, image: 'i', resources }))
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: all } }
    const spec = { replicas: 2, selector: { matchLabels: { a: 'b' } }, template }
    return warned('POST', deployments, { metadata: { name }, spec })
  }
  const pods = 'pods 0 of 1 used, 2 more requested'
  const text = (name: string, amounts: string): string =>
    `Deployment ${name} needs more room than there is: quota q: ${amounts}`
  expect(await create('one', 1)).toEqual([text('one', `${pods}; requests.cpu 0 of 1 used, 2 more requested`)])
  expect(await create('many', 201)).toEqual([])
  const hooks = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }]
  const webhooks = [
    {
      name: 'a.example.com',
      clientConfig: { url: 'https://127.0.0.1:1/' },
      rules,
      failurePolicy: 'Ignore',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ]
  await warned('POST', hooks, { metadata: { name: 'sidecars' }, webhooks })
  expect(await create('two', 1)).toEqual([text('two', pods)])
  await warned('DELETE', `${hooks}/sidecars`)
  // So it is with claims of volumes.
  const claimHook = [{ ...webhooks[0], rules: [{ ...rules[0], resources: ['persistentvolumeclaims'] }] }]
  await warned('POST', `${ns}/resourcequotas`, {
    metadata: { name: 'disks' },
    spec: { hard: { persistentvolumeclaims: '1', 'requests.storage': '1Gi' } },
  })
  const claims = {
    metadata: { name: 'v' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }
  const disks = async (name: string): Promise<readonly string[]> => {
    const container = { name: 'c', image: 'i', resources: { requests: { cpu: '1m' } } }
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } }
    const set = { replicas: 2, selector: { matchLabels: { a: 'b' } }, template, volumeClaimTemplates: [claims] }
    const sets = deployments.replace('deployments', 'statefulsets')
    const all = await warned('POST', sets, { metadata: { name }, spec: set })
    return all.filter((one) => one.includes('quota disks'))
  }
  const ofDisks = (name: string, more: string): string =>
    `StatefulSet ${name} needs more room than there is: quota disks: persistentvolumeclaims 0 of 1 used, 2 more requested${more}`
  expect(await disks('known')).toEqual([ofDisks('known', '; requests.storage 0 of 1Gi used, 2Gi more requested')])
  await warned('POST', hooks, { metadata: { name: 'disks' }, webhooks: claimHook })
  expect(await disks('changed')).toEqual([ofDisks('changed', '')])
  await warned('DELETE', `${hooks}/disks`)
})

test('a workload is judged with the classes of the cluster, and not with more amounts or claims than a look is worth', async () => {
  const ns = await api.namespace()
  const apps = ns.replace('/api/v1', '/apis/apps/v1')
  const priorities = '/apis/scheduling.k8s.io/v1/priorityclasses'
  // Every pod has a class, so this quota counts none.
  const unclassed = {
    hard: { pods: '0' },
    scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'DoesNotExist' }] },
  }
  await warned('POST', `${ns}/resourcequotas`, { metadata: { name: 'unclassed' }, spec: unclassed })
  await warned('POST', priorities, { metadata: { name: 'usual' }, value: 1, globalDefault: true })
  const template = (requests: Readonly<Record<string, string>>): object => ({
    metadata: { labels: { a: 'b' } },
    spec: { containers: [{ name: 'c', image: 'i', resources: { requests } }] },
  })
  const spec = { replicas: 2, selector: { matchLabels: { a: 'b' } } }
  const create = (name: string, requests: Readonly<Record<string, string>>): Promise<readonly string[]> =>
    warned('POST', `${apps}/deployments`, { metadata: { name }, spec: { ...spec, template: template(requests) } })
  expect(await create('classed', { cpu: '1' })).toEqual([])
  await warned('DELETE', `${priorities}/usual`)
  expect(await create('plain', { cpu: '1' })).toEqual([expect.stringContaining('quota unclassed: pods 0 of 0 used')])

  const names = Array.from({ length: 501 }, (_, index) => [`example.com/r${index}`, '1'] as const)
  const extended = Object.fromEntries(names.map(([name, amount]) => [`requests.${name}`, amount]))
  await warned('POST', `${ns}/resourcequotas`, {
    metadata: { name: 'extended' },
    spec: { hard: { pods: '1', ...extended } },
  })
  expect(await create('wide', Object.fromEntries(names))).toEqual([])
  // What there was is priced too.
  const narrow = { metadata: { name: 'wide' }, spec: { ...spec, replicas: 9, template: template({ cpu: '1' }) } }
  expect(await warned('PUT', `${apps}/deployments/wide`, narrow)).toEqual([])

  const claims = Array.from({ length: 51 }, (_, index) => ({
    metadata: { name: `v${index}` },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }))
  const set = { ...spec, serviceName: 's', template: template({ cpu: '1' }), volumeClaimTemplates: claims }
  expect(await warned('POST', `${apps}/statefulsets`, { metadata: { name: 'deep' }, spec: set })).toEqual([])
})

test('a custom quota is looked at unless it refuses less than it counts', async () => {
  const ns = await api.namespace()
  await api.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', customQuota.crd)
  const quotas = ns.replace('/api/v1', `/apis/${customQuota.apiVersion}`) + '/customquotas'
  await api.until(quotas, ({ kind }) => kind === 'CustomQuotaList')
  const sources = [{ apiVersion: 'v1', kind: 'Pod', op: 'count' }]
  await api.create(quotas, {
    apiVersion: customQuota.apiVersion,
    kind: customQuota.kind,
    metadata: { name: 'crew' },
    spec: { limit: '1', sources },
  })
  const condition = (type: string, status: string, reason: string): object => {
    return { type, status, reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }
  }
  const enforced = (status: string, reason: string): Promise<unknown> => {
    const conditions = [condition('Ready', 'True', 'Succeeded'), condition('Enforced', status, reason)]
    const usage = { used: '0', available: '1' }
    return api.patch(`${quotas}/crew/status`, { status: { observedGeneration: 1, targets: [], usage, conditions } })
  }
  const create = (name: string): Promise<readonly string[]> => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    const spec = { replicas: 2, selector: { matchLabels: { a: 'b' } }, template }
    return warned('POST', `${ns.replace('/api/v1', '/apis/apps/v1')}/deployments`, { metadata: { name }, spec })
  }
  await enforced('False', 'UncoveredKind')
  expect(await create('first')).toEqual([])
  await enforced('True', 'Enforced')
  expect(await create('second')).toEqual([
    'Deployment second needs more room than there is: CustomQuota crew: 0 of 1 used, 2 more requested',
  ])
})
