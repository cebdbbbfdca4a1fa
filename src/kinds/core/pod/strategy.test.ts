import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sentence } from '../../../machinery/field-error.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { pod } from './strategy.ts'
import { qosClass } from './qos-class.ts'

const context = { now: '2026-11-21T00:00:00Z' }
const container = (more: JsonObject = {}): JsonObject => ({ name: 'main', image: 'registry.example/app:1', ...more })
const podOf = (spec: JsonObject = {}, more: JsonObject = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'kiosk', namespace: 'shop' },
  spec: { containers: [container()], ...spec },
  ...more,
})
const stored = (object: KubeObject): KubeObject => pod.prepareForCreate!(pod.defaults!(object), context)
const specOf = (object: KubeObject): JsonObject => object.spec as JsonObject
const first = (object: KubeObject): JsonObject => (specOf(object).containers as JsonObject[])[0]!
const problems = (object: KubeObject): string[] => pod.validate!(pod.defaults!(object)).map(sentence)
const updateProblems = (change: JsonObject, before: JsonObject = {}): string[] => {
  const old = stored(podOf(before))
  const next = pod.defaults!({ ...old, spec: { ...specOf(old), ...change } })
  return pod.validateUpdate!(next, old).map(sentence)
}

describe('defaults of a pod', () => {
  test('fill its spec', () => {
    expect(specOf(pod.defaults!(podOf()))).toEqual({
      containers: [
        {
          name: 'main',
          image: 'registry.example/app:1',
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'IfNotPresent',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      schedulerName: 'default-scheduler',
      enableServiceLinks: true,
    })
  })

  test('give the same object back when there is nothing to fill', () => {
    const once = pod.defaults!(podOf())
    expect(pod.defaults!(once)).toBe(once)
  })

  test.each([
    ['nginx', 'Always'],
    ['nginx:latest', 'Always'],
    ['localhost:5000/a/b', 'Always'],
    ['nginx:1.27', 'IfNotPresent'],
    ['nginx@sha256:aaaa', 'IfNotPresent'],
    ['nginx:latest@sha256:aaaa', 'Always'],
    ['Not An Image', 'IfNotPresent'],
  ])('pull the image %s %s', (image, policy) => {
    expect(first(pod.defaults!(podOf({ containers: [container({ image })] }))).imagePullPolicy).toBe(policy)
  })

  test('request what is limited, and no more where a request is said', () => {
    const limits = { cpu: '3', memory: '5Gi', 'example.com/gpu': '2' }
    const object = podOf({ containers: [container({ resources: { limits, requests: { cpu: '1' } } })] })
    expect(first(pod.defaults!(object)).resources).toEqual({
      limits,
      requests: { cpu: '1', memory: '5Gi', 'example.com/gpu': '2' },
    })
  })

  test('complete a pod-level request from the containers, and from the limit where they are silent', () => {
    const object = podOf({
      containers: [
        container({ resources: { requests: { cpu: '300m' } } }),
        container({ name: 'side', resources: { requests: { cpu: '200m' } } }),
      ],
      resources: { limits: { cpu: '2', memory: '1Gi' } },
    })
    expect(specOf(pod.defaults!(object)).resources).toEqual({
      limits: { cpu: '2', memory: '1Gi' },
      requests: { cpu: '500m', memory: '1Gi' },
    })
  })

  test('complete probes, ports, environment and volumes', () => {
    const object = podOf({
      containers: [
        container({
          ports: [{ containerPort: 80 }],
          env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
          livenessProbe: { httpGet: { port: 80 }, timeoutSeconds: 0 },
        }),
      ],
      volumes: [{ name: 'a' }, { name: 'b', secret: { secretName: 's' } }, { name: 'c', hostPath: { path: '/x' } }],
    })
    expect(first(pod.defaults!(object))).toMatchObject({
      ports: [{ containerPort: 80, protocol: 'TCP' }],
      env: [{ valueFrom: { fieldRef: { apiVersion: 'v1' } } }],
      livenessProbe: {
        httpGet: { path: '/', scheme: 'HTTP' },
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3,
      },
    })
    expect(specOf(pod.defaults!(object)).volumes).toEqual([
      { name: 'a', emptyDir: {} },
      { name: 'b', secret: { secretName: 's', defaultMode: 420 } },
      { name: 'c', hostPath: { path: '/x', type: '' } },
    ])
  })

  test('open the same port on the host network', () => {
    const object = podOf({ hostNetwork: true, containers: [container({ ports: [{ containerPort: 81 }] })] })
    expect(first(pod.defaults!(object)).ports).toEqual([{ containerPort: 81, protocol: 'TCP', hostPort: 81 }])
  })

  test('never change what they are given, and are idempotent', () => {
    const amounts = fc.dictionary(fc.constantFrom('cpu', 'memory', 'example.com/x'), fc.constantFrom('1', '2', '500m'))
    const containers = fc.array(
      fc.record({
        name: fc.constantFrom('a', 'b'),
        image: fc.constantFrom('x', 'x:1', ''),
        resources: fc.record({ limits: amounts, requests: amounts }, { requiredKeys: [] }),
      }),
      { maxLength: 3 },
    )
    fc.assert(
      fc.property(containers, containers, (running, init) => {
        const object = podOf({ containers: running, initContainers: init })
        const before = JSON.stringify(object)
        const once = pod.defaults!(object)
        expect(JSON.stringify(object)).toBe(before)
        expect(pod.defaults!(once)).toEqual(once)
      }),
      { numRuns: 60 },
    )
  })
})

describe('a new pod', () => {
  test('is pending, whatever status came along, at generation 1', () => {
    const object = stored(podOf({}, { status: { phase: 'Running' } }))
    expect(object.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' })
    expect(object.metadata.generation).toBe(1)
  })

  const resources = (limits: JsonObject, requests: JsonObject = limits) => ({
    containers: [container({ resources: { limits, requests } })],
  })
  test.each([
    ['Guaranteed', resources({ cpu: '1', memory: '1Gi' }, { cpu: '1000m', memory: '1024Mi' })],
    ['Burstable', resources({ cpu: '1', memory: '1Gi' }, { cpu: '1' })],
    ['Burstable', resources({}, { cpu: '1m' })],
    ['Burstable', resources({ cpu: '1' })],
    ['BestEffort', resources({ 'ephemeral-storage': '1Gi' })],
    ['BestEffort', resources({ cpu: '0' })],
    [
      'Guaranteed',
      { ...resources({}), resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } } },
    ],
  ] satisfies readonly (readonly [string, JsonObject])[])('is %s', (quality, spec: JsonObject) => {
    expect(qosClass(spec)).toBe(quality)
  })
})

describe('a pod is refused', () => {
  test.each([
    ['without containers', { containers: [] }, ['spec.containers: Required value']],
    [
      'with a container that has no image',
      { containers: [{ name: 'a' }] },
      ['spec.containers[0].image: Required value'],
    ],
    [
      'with two containers of one name',
      { containers: [container(), container()] },
      ['spec.containers[1].name: Duplicate value: "main"'],
    ],
    [
      'with an invalid restart policy',
      { restartPolicy: 'Sometimes' },
      ['spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "Never", "OnFailure"'],
    ],
    [
      'with a request above its limit',
      { containers: [container({ resources: { requests: { cpu: '3' }, limits: { cpu: '2500m' } } })] },
      ['spec.containers[0].resources.requests: Invalid value: "3": must be less than or equal to cpu limit of 2500m'],
    ],
    [
      'with a negative amount',
      { containers: [container({ resources: { limits: { memory: '-7Mi' }, requests: { memory: '-8Mi' } } })] },
      [
        'spec.containers[0].resources.limits[memory]: Invalid value: "-7Mi": must be greater than or equal to 0',
        'spec.containers[0].resources.requests[memory]: Invalid value: "-8Mi": must be greater than or equal to 0',
      ],
    ],
    [
      'with an unknown resource',
      { containers: [container({ resources: { requests: { gold: '1' } } })] },
      [
        'spec.containers[0].resources.requests[gold]: Invalid value: "gold": must be a standard resource type or fully qualified',
        'spec.containers[0].resources.requests[gold]: Invalid value: "gold": must be a standard resource for containers',
      ],
    ],
    [
      'with a request for an extended resource that it does not limit',
      { containers: [container({ resources: { requests: { 'example.com/gpu': '1' } } })] },
      ['spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources'],
    ],
    [
      'with half an extended resource',
      { containers: [container({ resources: { limits: { 'example.com/gpu': '500m' } } })] },
      [
        'spec.containers[0].resources.limits[example.com/gpu]: Invalid value: "500m": must be an integer',
        'spec.containers[0].resources.requests[example.com/gpu]: Invalid value: "500m": must be an integer',
      ],
    ],
    [
      'with a mount of a volume that it has not',
      { containers: [container({ volumeMounts: [{ name: 'disk', mountPath: '/d' }] })] },
      ['spec.containers[0].volumeMounts[0].name: Not found: "disk"'],
    ],
    [
      'with no time to live',
      { activeDeadlineSeconds: 0 },
      ['spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive'],
    ],
    [
      'with rules of restarting without a policy of the container',
      {
        containers: [
          container({ restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [3] } }] }),
        ],
      },
      ['spec.containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used'],
    ],
    [
      'with invalid restart policy rules',
      {
        containers: [
          container({
            restartPolicy: 'Never',
            restartPolicyRules: [{ action: 'Stay', exitCodes: {} }, { action: 'RestartAllContainers' }],
          }),
        ],
      },
      [
        'spec.containers[0].restartPolicyRules[0].action: Unsupported value: "Stay": supported values: "Restart", "RestartAllContainers"',
        'spec.containers[0].restartPolicyRules[0].exitCodes.operator: Unsupported value: "": supported values: "In", "NotIn"',
        'spec.containers[0].restartPolicyRules[1].exitCodes: Required value: must be specified',
      ],
    ],
    [
      'with hooks of a container that runs before the others',
      { initContainers: [container({ name: 'first', lifecycle: { preStop: { exec: { command: ['x'] } } } })] },
      ['spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers without restartPolicy=Always'],
    ],
    [
      'with a debugger that says what only containers may',
      { ephemeralContainers: [container({ name: 'debug', ports: [{ containerPort: 80 }] })] },
      [
        'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
        'spec.ephemeralContainers: Forbidden: cannot be set on create',
      ],
    ],
    [
      'with invalid host names',
      { hostAliases: [{ ip: '10.0.0.300', hostnames: ['A_b'] }] },
      [
        'spec.hostAliases[0].ip: Invalid value: "10.0.0.300": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        expect.stringMatching(
          /^spec\.hostAliases\[0\]\.hostnames\[0\]: Invalid value: "A_b": a lowercase RFC 1123 subdomain /,
        ),
      ],
    ],
    [
      'with a port of the host that its network has not',
      { hostNetwork: true, containers: [container({ ports: [{ containerPort: 80, hostPort: 81 }] })] },
      [
        'spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true',
      ],
    ],
  ])('%s', (_, spec, expected) => {
    expect(problems(podOf(spec))).toEqual(expected)
  })
})

describe('an update of a pod', () => {
  const FORBIDDEN =
    'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
    '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
    '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'
  const limited = { containers: [container({ resources: { limits: { cpu: '1' } } })] }

  test.each([
    [
      'another image',
      { containers: [container({ image: 'registry.example/app:2', imagePullPolicy: 'IfNotPresent' })] },
      {},
    ],
    ['a deadline', { activeDeadlineSeconds: 7 }, {}],
    ['one toleration more', { tolerations: [{ key: 'a', operator: 'Exists' }] }, {}],
    [
      'the same amount written otherwise',
      { containers: [container({ resources: { limits: { cpu: '1000m' } } })] },
      limited,
    ],
    [
      'a node selector while it waits at a gate',
      { nodeSelector: { a: 'b' } },
      { schedulingGates: [{ name: 'example.com/hold' }] },
    ],
  ])('may bring %s', (_, change, before) => {
    expect(updateProblems(change, before)).toEqual([])
  })

  test('may not change resources', () => {
    expect(updateProblems({ containers: [container({ resources: { limits: { cpu: '2' } } })] }, limited)).toEqual([
      FORBIDDEN,
    ])
  })

  test('may not add containers', () => {
    expect(updateProblems({ containers: [container(), container({ name: 'more' })] })).toEqual([
      'spec.containers: Forbidden: pod updates may not add or remove containers',
    ])
  })

  test('may not put off a deadline', () => {
    expect(updateProblems({ activeDeadlineSeconds: 9 }, { activeDeadlineSeconds: 8 })).toEqual([
      'spec.activeDeadlineSeconds: Invalid value: 9: must be less than or equal to previous value',
    ])
  })

  test('keeps the status and counts changes of the spec', () => {
    const old = stored(podOf())
    const labelled = { ...old, metadata: { ...old.metadata, labels: { a: 'b' } }, status: { phase: 'Failed' } }
    expect(pod.prepareForUpdate!(labelled, old, context)).toMatchObject({
      status: old.status,
      metadata: { generation: 1 },
    })
    const later = { ...old, spec: { ...specOf(old), activeDeadlineSeconds: 3 } }
    expect(pod.prepareForUpdate!(later, old, context).metadata.generation).toBe(2)
  })

  test('of the status keeps the spec, the owners and the quality of service', () => {
    const owner = { apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u' }
    const old = stored({ ...podOf(), metadata: { name: 'kiosk', ownerReferences: [owner] } })
    const sent = { ...old, metadata: { name: 'kiosk' }, spec: {}, status: { phase: 'Running' } }
    expect(pod.prepareForStatusUpdate!(sent, old, context)).toMatchObject({
      metadata: { ownerReferences: [owner], generation: 1 },
      spec: old.spec,
      status: { phase: 'Running', qosClass: 'BestEffort' },
    })
  })
})

describe('a resize of a pod', () => {
  const sized = (requests: JsonObject, limits: JsonObject = {}): JsonObject => ({
    containers: [container({ resources: { requests, limits } })],
  })
  const check = (after: JsonObject, before: JsonObject): string[] => {
    const old = stored(podOf(before))
    const next = { ...old, spec: { ...specOf(old), ...specOf(pod.defaults!(podOf(after))) } }
    return pod.validateSubresource!.resize!(next, old).map(sentence)
  }

  test('changes cpu and memory', () => {
    expect(check(sized({ cpu: '2', memory: '2Gi' }), sized({ cpu: '1', memory: '1Gi' }))).toEqual([])
    expect(check(sized({ cpu: '2' }, { cpu: '3' }), sized({ cpu: '1' }))).toEqual([])
  })

  test('takes nothing away, changes nothing else, and keeps the quality of service', () => {
    expect(check(sized({ cpu: '2' }), sized({ cpu: '1', memory: '1Gi' }))).toEqual([
      'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
    ])
    expect(
      check(sized({ cpu: '1', 'ephemeral-storage': '2Gi' }), sized({ cpu: '1', 'ephemeral-storage': '1Gi' })),
    ).toEqual(['spec: Forbidden: only cpu and memory resources are mutable'])
    expect(check({ ...sized({ cpu: '2' }), dnsPolicy: 'Default' }, sized({ cpu: '1' }))).toEqual([
      'spec: Forbidden: only cpu and memory resources are mutable',
    ])
    expect(check(sized({ cpu: '1' }), sized({}))).toEqual([
      'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
    ])
  })
})
