import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { sentence } from '../../../machinery/field-error.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { ApiError } from '../../../machinery/status.ts'
import {
  allocateClusterIP,
  allocateNodePorts,
  clusterIPsOf,
  nodePortsOf,
} from '../../../apiserver/storing/service-allocation.ts'
import { serviceStrategies } from './strategy.ts'

const services = serviceStrategies.services!
const context = { now: '2026-11-21T00:00:00Z' }
const service = (spec: JsonObject, name = 'till'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop' },
  spec,
})
const specOf = (object: KubeObject): JsonObject => object.spec as JsonObject
const none: ReadonlySet<never> = new Set()
const stored = (spec: JsonObject): KubeObject => {
  const prepared = services.prepareForCreate!(services.defaults!(service(spec)), context)
  return allocateNodePorts(allocateClusterIP(prepared, none), none)
}
const updated = (old: KubeObject, spec: JsonObject): KubeObject => {
  const prepared = services.prepareForUpdate!(services.defaults!({ ...old, spec }), old, context)
  const addressed = allocateClusterIP(prepared, new Set(clusterIPsOf(old)), new Set(clusterIPsOf(old)))
  return allocateNodePorts(addressed, new Set(nodePortsOf(old)), new Set(nodePortsOf(old)))
}
const problems = (spec: JsonObject): string[] =>
  services.validate!(services.prepareForCreate!(services.defaults!(service(spec)), context)).map(sentence)
const http = { port: 80 }

describe('a service', () => {
  test('is reached inside the cluster by default', () => {
    expect(stored({ ports: [http] })).toMatchObject({
      spec: {
        type: 'ClusterIP',
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }],
      },
      status: { loadBalancer: {} },
    })
  })

  test('gets an address of the range, the same for the same name', () => {
    const [ip] = clusterIPsOf(stored({ ports: [http] }))
    expect(ip).toMatch(/^10\.96\.\d+\.\d+$/)
    expect(clusterIPsOf(stored({ ports: [http] }))).toEqual([ip])
    expect(clusterIPsOf(allocateClusterIP(service({ ports: [http] }), new Set([ip!])))).not.toEqual([ip])
  })

  test('keeps its address and node ports when an update leaves them out', () => {
    const old = stored({ type: 'NodePort', ports: [http] })
    const next = updated(old, { type: 'NodePort', ports: [{ port: 80 }, { port: 81, name: 'b' }] })
    expect(clusterIPsOf(next)).toEqual(clusterIPsOf(old))
    expect(nodePortsOf(next)[0]).toBe(nodePortsOf(old)[0])
    expect(nodePortsOf(next)).toHaveLength(2)
  })

  test('gives back what its new type does not have', () => {
    const old = stored({ type: 'LoadBalancer', ports: [http] })
    expect(specOf(old)).toMatchObject({ allocateLoadBalancerNodePorts: true, externalTrafficPolicy: 'Cluster' })
    const plain = updated(old, { ...specOf(old), type: 'ClusterIP' })
    expect(nodePortsOf(plain)).toEqual([])
    expect(services.validateUpdate!(plain, old)).toEqual([])
    const named = updated(old, { ...specOf(old), type: 'ExternalName', externalName: 'example.com' })
    expect(clusterIPsOf(named)).toEqual([])
    expect(services.validateUpdate!(named, old)).toEqual([])
  })

  test('may not change its address', () => {
    const old = stored({ ports: [http] })
    const next = { ...old, spec: { ...specOf(old), clusterIP: '10.96.9.9', clusterIPs: ['10.96.9.9'] } }
    expect(services.validateUpdate!(next, old).map(sentence)).toEqual([
      'spec.clusterIPs[0]: Invalid value: ["10.96.9.9"]: may not change once set',
    ])
  })

  test.each([
    [{}, ['spec.ports: Required value']],
    [{ clusterIP: 'None' }, []],
    [{ type: 'ExternalName', externalName: 'example.com' }, []],
    [{ type: 'ExternalName' }, ['spec.externalName: Required value']],
    [
      { type: 'Fast', ports: [http] },
      [
        'spec.type: Unsupported value: "Fast": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
      ],
    ],
    [
      { ports: [{ port: 70_000, targetPort: 1 }] },
      ['spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive'],
    ],
    [{ ports: [{ ...http, name: 'a' }, { port: 81 }] }, ['spec.ports[1].name: Required value']],
    [
      {
        ports: [
          { ...http, name: 'a' },
          { port: 81, name: 'a' },
        ],
      },
      ['spec.ports[1].name: Duplicate value: "a"'],
    ],
    [
      { ports: [{ ...http, nodePort: 30_001 }] },
      ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
    ],
    [
      { type: 'NodePort', clusterIP: 'None', clusterIPs: ['None'], ports: [http] },
      ['spec.clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for NodePort services'],
    ],
  ])('%j', (spec, expected) => {
    expect(problems(spec)).toEqual(expected)
  })
})

describe('allocation', () => {
  const refusal = (run: () => unknown): string => {
    try {
      run()
    } catch (error) {
      if (error instanceof ApiError) return error.message
    }
    return 'not refused'
  }

  test('refuses addresses and ports that others hold, or that are out of range', () => {
    const address = { clusterIP: '10.96.0.9', clusterIPs: ['10.96.0.9'] }
    const wants = service({ ...address, type: 'NodePort', ports: [{ ...http, nodePort: 30_009 }] })
    expect(refusal(() => allocateClusterIP(wants, new Set(['10.96.0.9'])))).toBe(
      'Service "till" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.9"]: failed to allocate IP 10.96.0.9: provided IP is already allocated',
    )
    expect(refusal(() => allocateNodePorts(wants, new Set([30_009])))).toBe(
      'Service "till" is invalid: spec.ports[0].nodePort: Invalid value: 30009: provided port is already allocated',
    )
    expect(allocateNodePorts(wants, new Set([30_009]), new Set([30_009]))).toEqual(wants)
    expect(
      refusal(() => allocateNodePorts(service({ type: 'NodePort', ports: [{ ...http, nodePort: 80 }] }), none)),
    ).toBe(
      'Service "till" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
    )
    expect(
      refusal(() => allocateClusterIP(service({ clusterIP: '192.0.2.1', clusterIPs: ['192.0.2.1'] }), none)),
    ).toContain('The range of valid IPs is 10.96.0.0/16')
  })

  test('gives one node port to a number under two protocols', () => {
    const dns = service({
      type: 'NodePort',
      ports: [
        { port: 53, protocol: 'TCP', name: 'a' },
        { port: 53, protocol: 'UDP', name: 'b' },
      ],
    })
    expect(nodePortsOf(allocateNodePorts(dns, none))).toHaveLength(1)
  })

  test('gives every service its own', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { maxLength: 30 }), (names) => {
        const ips = new Set<string>()
        const ports = new Set<number>()
        for (const name of names) {
          const given = allocateNodePorts(
            allocateClusterIP(service({ type: 'NodePort', ports: [http] }, name), ips),
            ports,
          )
          for (const ip of clusterIPsOf(given)) ips.add(ip)
          for (const port of nodePortsOf(given)) ports.add(port)
        }
        expect([ips.size, ports.size]).toEqual([names.length, names.length])
      }),
      { numRuns: 30 },
    )
  })

  test('ends when nothing is left', () => {
    const all = new Set(Array.from({ length: 2768 }, (_, index) => 30_000 + index))
    expect(refusal(() => allocateNodePorts(service({ type: 'NodePort', ports: [http] }), all))).toContain(
      'range is full',
    )
  })
})
