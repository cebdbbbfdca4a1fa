import { describe, expect, test } from 'vitest'
import { base64, signingRequest } from '../../signing-request.ts'
import { apiServer, MERGE } from '../api-server.ts'

const api = apiServer()
const problems = async (path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<unknown> => {
  const method = headers === undefined ? 'POST' : 'PATCH'
  const { status, body: answer } = await api.send(method, path, body, headers)
  if (status !== 422) return status
  return answer.details.causes.map(({ field, message }: Readonly<Record<string, string>>) => `${field}: ${message}`)
}

describe('the target of an autoscaler', () => {
  const path = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers'
  const autoscaler = (scaleTargetRef: object, more: object = {}): object => ({
    metadata: { generateName: 'h-' },
    spec: { maxReplicas: 3, scaleTargetRef, ...more },
  })
  const group = 'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group'

  test.each([
    [{ kind: 'Deployment', name: 'a' }, [group]],
    [{ apiVersion: 'v1', kind: 'Deployment', name: 'a' }, [group.replace('""', '"v1"')]],
    [
      { apiVersion: 'a/b/c', kind: 'Deployment', name: 'a' },
      ['spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
    ],
    [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' }, 201],
    [{ kind: 'ReplicationController', name: 'a' }, 201],
    [{ apiVersion: 'v1', kind: 'ReplicationController', name: 'a' }, 201],
  ])('must name its group: %j', async (target, expected) => {
    expect(await problems(path, autoscaler(target))).toEqual(expected)
    const first = path.replace('/v2/', '/v1/')
    expect(await problems(first, autoscaler(target))).toEqual(expected)
  })

  test('and what a metric describes need not, as it may be of the core group', async () => {
    const metric = (apiVersion: string): object => ({
      type: 'Object',
      object: {
        describedObject: { ...(apiVersion === '' ? {} : { apiVersion }), kind: 'Service', name: 'a' },
        metric: { name: 'm' },
        target: { type: 'Value', value: '1' },
      },
    })
    const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' }
    const of = (...versions: readonly string[]): object => autoscaler(target, { metrics: versions.map(metric) })
    expect(await problems(path, of('', 'v1', 'networking.k8s.io/v1'))).toBe(201)
    expect(await problems(path, of('v1', 'a/b/c'))).toEqual([
      'spec.metrics[1].object.describedObject.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ])
  })
})

describe('an APIService', () => {
  const path = '/apis/apiregistration.k8s.io/v1/apiservices'
  const valid = {
    group: 'metrics.test',
    version: 'v1',
    groupPriorityMinimum: 100,
    versionPriority: 100,
    service: { namespace: 'kube-system', name: 'metrics' },
  }
  const post = (spec: object, name = 'v1.metrics.test'): Promise<unknown> =>
    problems(`${path}?dryRun=All`, { metadata: { name }, spec })

  test('without a spec is refused', async () => {
    const label =
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
    const expected = [
      'metadata.name: Invalid value: "v1.metrics.test": must be `spec.version+"."+spec.group`: "."',
      'spec.group: Required value: only v1 may have an empty group and it better be legacy kube',
      `spec.version: Invalid value: "": ${label}`,
      'spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000',
      'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
    ]
    expect(await post({})).toEqual(expected)
    expect(await problems(path, { metadata: { name: 'v1.metrics.test' } })).toEqual(expected)
  })

  test.each([
    [{}, 201],
    [{ service: undefined }, 201],
    [{ service: {} }, ['spec.service.namespace: Required value', 'spec.service.name: Required value']],
    [
      { service: { ...valid.service, port: 70_000 } },
      ['spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive'],
    ],
    [
      { service: undefined, caBundle: 'YWJj', insecureSkipTLSVerify: true },
      [
        'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
        'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
      ],
    ],
    [
      { caBundle: 'YWJj', insecureSkipTLSVerify: true },
      ['spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present'],
    ],
    [{ versionPriority: 1001 }, ['spec.versionPriority: Invalid value: 1001: must be positive and less than 1000']],
  ])('with %j instead is judged by it', async (change, expected) => {
    expect(await post({ ...valid, ...change })).toEqual(expected)
  })

  test('says of its status only what conditions can be', async () => {
    await api.create(path, { metadata: { name: 'v1.metrics.test' }, spec: valid })
    const patch = { status: { conditions: [{ type: 'Available', status: 'Maybe' }] } }
    expect(await problems(`${path}/v1.metrics.test/status`, patch, MERGE)).toEqual([
      'status.conditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
    ])
  })
})

describe('a refusal', () => {
  test.each([
    ['ingresses', { spec: {} }, 'Ingress.networking.k8s.io "a" is invalid: '],
    [
      'networkpolicies',
      { spec: { podSelector: {}, policyTypes: ['x'] } },
      'NetworkPolicy.networking.k8s.io "a" is invalid: ',
    ],
  ])('of %s names their group', async (resource, body, message) => {
    const path = `/apis/networking.k8s.io/v1/namespaces/default/${resource}`
    const { body: answer } = await api.send('POST', path, { metadata: { name: 'a' }, ...body })
    expect([answer.message.slice(0, message.length), answer.details.group]).toEqual([message, 'networking.k8s.io'])
  })

  test('says null of a selector that is gone, and not "null"', async () => {
    const jobs = '/apis/batch/v1/namespaces/default/jobs'
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } }
    await api.create(jobs, { metadata: { name: 'j' }, spec: { template } })
    expect(await problems(`${jobs}/j`, { spec: { selector: null } }, MERGE)).toContain(
      'spec.selector: Invalid value: null: field is immutable',
    )
  })
})

describe('a kind without what it is about is refused', () => {
  const NEITHER = 'Required value: validations or auditAnnotations must be specified'
  const policies = '/apis/admissionregistration.k8s.io/v1'
  const flows = '/apis/flowcontrol.apiserver.k8s.io/v1'
  const subdomain = expect.stringContaining('a lowercase RFC 1123 subdomain must consist of')

  test.each([
    [
      `${policies}/validatingadmissionpolicies`,
      ['spec.matchConstraints: Required value', `spec.validations: ${NEITHER}`, `spec.auditAnnotations: ${NEITHER}`],
    ],
    [
      `${policies}/validatingadmissionpolicybindings`,
      ['spec.policyName: Required value', 'spec.validationActions: Required value'],
    ],
    [
      `${policies}/mutatingadmissionpolicies`,
      [
        'spec.matchConstraints: Required value',
        'spec.mutations: Required value: mutations must contain at least one item',
        'spec.reinvocationPolicy: Required value',
      ],
    ],
    [`${policies}/mutatingadmissionpolicybindings`, ['spec.policyName: Required value']],
    [`${flows}/flowschemas`, ['spec.priorityLevelConfiguration.name: Required value: must reference a priority level']],
    [
      `${flows}/prioritylevelconfigurations`,
      ['spec.type: Unsupported value: "": supported values: "Exempt", "Limited"'],
    ],
    [
      '/apis/storage.k8s.io/v1/volumeattachments',
      [
        'spec.attacher: Required value',
        'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
        subdomain,
      ],
    ],
    ['/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities', [subdomain]],
    ['/apis/networking.k8s.io/v1/ipaddresses', ['spec.parentRef: Required value']],
    ['/apis/networking.k8s.io/v1/servicecidrs', ['spec.cidrs: Required value: at least one CIDR required']],
    ['/apis/apps/v1/namespaces/default/controllerrevisions', ['data: Required value: data is mandatory']],
    [
      '/apis/certificates.k8s.io/v1/certificatesigningrequests',
      [
        'spec.request: Invalid value: "": PEM block type must be CERTIFICATE REQUEST',
        'spec.usages: Required value',
        'spec.signerName: Required value',
      ],
    ],
  ])('%s', async (path, expected) => {
    expect(await problems(path, { metadata: { name: 'a' }, spec: {} })).toEqual(expected)
  })
})

describe('a request for a certificate', () => {
  const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
  const spec = { signerName: 'a.test/b', usages: ['client auth'], request: base64(signingRequest()) }

  test('names its sender, whatever it says itself, and does not change', async () => {
    const claimed = { ...spec, username: 'somebody-else', groups: ['others'], uid: 'x', extra: { a: ['b'] } }
    const { spec: made } = await api.create(path, { metadata: { name: 'mine' }, spec: claimed })
    expect(made).toEqual({ ...spec, username: 'admin', groups: ['system:masters', 'system:authenticated'] })
    const patch = { spec: { username: 'somebody-else', usages: ['any'] } }
    expect((await api.patch(`${path}/mine`, patch)).spec).toEqual(made)
    const impersonated = await api.send(
      'POST',
      path,
      { metadata: { name: 'theirs' }, spec },
      {
        'impersonate-user': 'jane',
        'impersonate-group': 'system:masters',
        'impersonate-uid': 'u-1',
      },
    )
    expect(impersonated.body.spec).toMatchObject({ username: 'jane', uid: 'u-1' })
  })
})
