import { at, create, MERGE_PATCH, type Scenario, type Step } from '../../scenario.ts'
import { changes, creates, type Edits, updates } from '../../variants.ts'

const endpoints = {
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { name: 'e' },
  subsets: [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 80 }] }],
}
const policy = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'p' },
  spec: { podSelector: {} },
}
const backend = { service: { name: 's', port: { number: 80 } } }
const ingress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'i' },
  spec: { defaultBackend: backend },
}
const ingressClass = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IngressClass',
  metadata: { name: 'c' },
  spec: { controller: 'a.b/c' },
}
const policies = 'networking.k8s.io/v1/networkpolicies'
const ingresses = 'networking.k8s.io/v1/ingresses'
const CLASSES = '/apis/networking.k8s.io/v1/ingressclasses'

const subset = (fields: object): Edits => ({ subsets: [fields] })
const rule = (fields: object): Edits => ({ 'spec.rules': [fields] })
const path = (fields: object): Edits => rule({ http: { paths: [fields] } })
const CLASS_VARIANTS: readonly Edits[] = [
  {},
  { spec: undefined },
  { 'spec.controller': '' },
  { 'spec.controller': 'nodomain' },
  { 'spec.controller': 'A_b/c' },
  { 'spec.controller': `a.b/${'x'.repeat(250)}` },
  { 'spec.parameters': {} },
  { 'spec.parameters': { apiGroup: 'A_b', kind: 'K', name: 'n' } },
  { 'metadata.name': 'A_b' },
]

export const scenarios: readonly Scenario[] = [
  {
    name: 'endpoints',
    steps: [
      ...creates('endpoints', endpoints, [
        {},
        { subsets: undefined },
        subset({}),
        subset({ addresses: [{ ip: 'x' }] }),
        subset({ addresses: [{ ip: '127.0.0.1' }] }),
        subset({ addresses: [{ ip: '10.1.2.3', hostname: 'A_b', nodeName: 'A_b' }] }),
        subset({ notReadyAddresses: [{ ip: '10.1.2.3', targetRef: { kind: 'Pod', name: 'p' } }] }),
        subset({ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 0, protocol: 'x', name: 'A_b' }] }),
        subset({ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 1 }, { port: 2 }] }),
        subset({ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 1, appProtocol: 'a b' }] }),
        subset({ addresses: 'x' }),
        { 'metadata.name': 'A_b' },
      ]),
      { ...create('endpoints', endpoints), name: 'made' },
      ...changes(at('endpoints', 'e'), 'made', [{}, subset({}), { subsets: [] }]),
    ],
  },
  {
    name: 'network policies',
    steps: [
      ...creates(policies, policy, [
        {},
        { spec: undefined },
        { 'spec.podSelector': { matchLabels: { 'a b': 'c' } } },
        { 'spec.policyTypes': ['x'] },
        { 'spec.policyTypes': ['Ingress', 'Egress', 'Ingress'] },
        { 'spec.egress': [{}] },
        { 'spec.ingress': [{ ports: [{ port: 80 }, { port: 'http', protocol: 'UDP' }] }] },
        { 'spec.ingress': [{ ports: [{ port: 0, protocol: 'x' }] }] },
        { 'spec.ingress': [{ ports: [{ port: 'Bad_Port_Name-long' }] }] },
        { 'spec.ingress': [{ from: [{}] }] },
        { 'spec.ingress': [{ from: [{ podSelector: {}, namespaceSelector: {} }] }] },
        { 'spec.ingress': [{ from: [{ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }] }] },
        { 'spec.ingress': [{ from: [{ ipBlock: {} }] }] },
        { 'spec.ingress': [{ from: [{ ipBlock: { cidr: 'x', except: ['y'] } }] }] },
        { 'spec.ingress': [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/8'] } }] }] },
        { 'spec.ingress': [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }] }] },
        { 'spec.egress': [{ to: [{ namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'x' }] } }] }] },
        { 'metadata.name': 'A_b' },
      ]),
      { ...create(policies, policy), name: 'made' },
      ...changes(at(policies, 'p'), 'made', [
        {},
        { 'spec.podSelector': { matchLabels: { a: 'b' } } },
        { 'spec.policyTypes': ['x'] },
      ]),
    ],
  },
  {
    name: 'ingresses',
    steps: [
      ...creates(ingresses, ingress, [
        {},
        { spec: undefined },
        { spec: {} },
        { 'spec.defaultBackend': {} },
        { 'spec.defaultBackend': { service: {} } },
        { 'spec.defaultBackend': { service: { name: 'A_b', port: { number: 80, name: 'x' } } } },
        { 'spec.defaultBackend': { service: { name: 's', port: { number: 70000 } } } },
        { 'spec.defaultBackend': { service: { name: 's', port: { name: 'Bad_Port_Name-long' } } } },
        { 'spec.defaultBackend': { resource: { kind: 'K', name: 'n', apiGroup: 'a.b' } } },
        { 'spec.defaultBackend': { resource: {} } },
        { 'spec.defaultBackend': { ...backend, resource: { kind: 'K', name: 'n' } } },
        { 'spec.ingressClassName': 'A_b' },
        { 'spec.ingressClassName': 'c' },
        { 'spec.ingressClassName': 'c', 'metadata.annotations': { 'kubernetes.io/ingress.class': 'd' } },
        { 'spec.tls': [{ hosts: ['A_b', '*.a.b'], secretName: 'A_b' }] },
        rule({}),
        rule({ host: '1.2.3.4' }),
        rule({ host: 'A_b' }),
        rule({ host: '*.a.b' }),
        rule({ host: '*a.b' }),
        rule({ http: { paths: [] } }),
        path({ backend }),
        path({ path: 'x', pathType: 'Exact', backend }),
        path({ path: '/a//b', pathType: 'Prefix', backend }),
        path({ path: '/a/../b', pathType: 'Prefix', backend }),
        path({ path: '/a%2fb', pathType: 'Exact', backend }),
        path({ path: '/a', pathType: 'x', backend }),
        path({ path: '/a', pathType: 'ImplementationSpecific', backend: {} }),
        path({ path: '/a', pathType: 'Prefix', backend }),
        path({ pathType: 'Prefix', backend }),
        path({ pathType: 'ImplementationSpecific', backend }),
      ]),
      { ...create(ingresses, ingress), name: 'made' },
      ...changes(at(ingresses, 'i'), 'made', [
        {},
        { 'spec.defaultBackend': {} },
        path({ path: '/a', pathType: 'Prefix', backend }),
      ]),
      {
        method: 'PATCH',
        path: at(ingresses, 'i', 'status'),
        type: MERGE_PATCH,
        body: { status: { loadBalancer: { ingress: [{ ip: 'x' }] } } },
      },
      {
        method: 'PATCH',
        path: at(ingresses, 'i', 'status'),
        type: MERGE_PATCH,
        body: { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } },
      },
    ],
  },
  {
    name: 'ingress classes',
    steps: [
      ...creates('', ingressClass, CLASS_VARIANTS, CLASSES),
      ...updates(`${CLASSES}/v0-WORD`, [
        {},
        { 'spec.controller': 'd.e/f' },
        { 'spec.parameters': { kind: 'K', name: 'n' } },
      ]),
      ...CLASS_VARIANTS.map((_, index): Step => ({ method: 'DELETE', path: `${CLASSES}/v${index}-WORD` })),
    ],
  },
]
