import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../../machinery/object.ts'
import { readManifests } from '../../migrate/read-manifests.ts'
import { isResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import { withPlannedClasses } from './cluster-classes.ts'
import { explain } from './explain.ts'
import type { Explanation } from './explanation.ts'
import { explanationText } from './explanation-text.ts'
import { type Facts, indexed } from './facts.ts'

const CLASSES = readManifests(
  'classes',
  `
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: slow}}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: quick, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: usual}, value: 7, globalDefault: true}
---
{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: boxed}, handler: boxed, overhead: {podFixed: {cpu: 150m}}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: robot, namespace: shop}}
`,
)
const ofKind = (wanted: string): readonly KubeObject[] => CLASSES.filter(({ kind }) => kind === wanted)
const KNOWN: Facts['classes'] = new Map([
  ['storageclasses.storage.k8s.io', ofKind('StorageClass')],
  ['priorityclasses.scheduling.k8s.io', ofKind('PriorityClass')],
  ['runtimeclasses.node.k8s.io', ofKind('RuntimeClass')],
  ['serviceaccounts', ofKind('ServiceAccount')],
])
const UNSEEN = [...KNOWN.keys()].map((resource) => ({ resource, reason: 'you may not list them' }))

const noneOf = (hard: object = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(hard).map((name) => [name, '0']))

/** A manifest under quotas of which nothing is used. */
function planned(manifest: string, quotas: string, isSeen: boolean): Explanation {
  const [object] = readManifests('manifest', manifest)
  if (object === undefined) throw new Error('there is no manifest')
  const counted = readManifests('quotas', quotas)
    .filter(isResourceQuota)
    .map((quota) => ({ ...quota, status: { hard: quota.spec?.hard ?? {}, used: noneOf(quota.spec?.hard) } }))
  const resource =
    object.kind === 'Deployment'
      ? { group: 'apps', resource: 'deployments' }
      : { group: '', resource: 'persistentvolumeclaims' }
  return explain({ object, isStored: false }, resource, {
    namespace: 'shop',
    quotas: counted,
    limitRanges: [],
    customQuotas: [],
    karmadaQuotas: [],
    namespaceLabels: {},
    objects: new Map(),
    ...indexed(new Map()),
    kubectl: 'kubectl -n shop',
    autoscalers: [],
    classes: isSeen ? KNOWN : new Map(),
    failures: [],
    notSeen: isSeen ? [] : UNSEEN,
    now: 0,
  })
}

const deployed = (spec: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 2, template: {spec: {${spec}containers: [{name: web, resources: {requests: {cpu: 100m}}}]}}}`
const quotaOf = (hard: string, spec = ''): string =>
  `{apiVersion: v1, kind: ResourceQuota, metadata: {name: small, namespace: shop}, spec: {hard: {${hard}}${spec}}}`
const CLAIM =
  '{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: shop}, spec: {resources: {requests: {storage: 3Gi}}}}'
const IN_USUAL = ', scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [usual]}]}'

describe('classes of the cluster', () => {
  const cases = [
    {
      title: 'the overhead of a runtime class counts',
      manifest: deployed('runtimeClassName: boxed, '),
      quota: quotaOf('requests.cpu: "400m"'),
      cause: 'quota small: requests.cpu 0 of 400m used, 500m more requested',
      matters: 'runtimeclasses.node.k8s.io',
    },
    {
      title: 'pods get the default priority class, by which a quota counts them',
      manifest: deployed(''),
      quota: quotaOf('pods: "1"', IN_USUAL),
      cause: 'quota small: pods 0 of 1 used, 2 more requested',
      matters: 'priorityclasses.scheduling.k8s.io',
    },
    {
      title: 'a claim gets the default storage class, which a quota limits',
      manifest: CLAIM,
      quota: quotaOf('quick.storageclass.storage.k8s.io/requests.storage: 2Gi'),
      cause: 'quota small: quick.storageclass.storage.k8s.io/requests.storage 0 of 2Gi used, 3Gi more requested',
      matters: 'storageclasses.storage.k8s.io',
    },
  ]
  for (const { title, manifest, quota, cause, matters } of cases)
    test(`${title}, and one who may not see them is told so`, () => {
      expect(planned(manifest, quota, true).causes.map(({ text }) => text)).toEqual([cause])
      expect(planned(manifest, quota, true).warnings.map(({ type }) => type)).not.toContain('storage-class')
      const { causes, notSeen } = planned(manifest, quota, false)
      expect([causes, notSeen]).toEqual([[], [`${matters}: you may not list them`]])
    })

  test('that do not matter are not named among what nobody sees', () => {
    expect(planned(deployed(''), quotaOf('pods: "9"'), false).notSeen).toEqual([])
  })

  test('a pod of a class that there is not is refused by no quota', () => {
    const given = deployed('priorityClassName: royal, ')
    const { verdict, causes, remedies } = planned(given, quotaOf('pods: "9"'), true)
    expect([verdict, causes.map(({ type, text }) => [type, text]), remedies]).toEqual([
      'blocked',
      [['rejected', expect.stringContaining('no PriorityClass with name royal was found')]],
      [],
    ])
  })

  test.each([
    ['there', 'robot', 'clear', []],
    ['of each namespace', 'default', 'clear', []],
    [
      'missing',
      'nobody',
      'blocked',
      [
        'the API server says: pods "web-" is forbidden: error looking up service account shop/nobody: serviceaccount "nobody" not found',
      ],
    ],
  ])('a pod of a ServiceAccount that is %s is judged by that', (_title, account, verdict, said) => {
    const given = deployed(`serviceAccountName: ${account}, `)
    const { verdict: found, causes, remedies } = planned(given, quotaOf('pods: "9"'), true)
    expect([found, causes.map(({ text }) => text)]).toEqual([verdict, said])
    const created = { command: 'kubectl -n shop create serviceaccount nobody', text: 'create ServiceAccount nobody' }
    const needs = { verb: 'create', group: '', resource: 'serviceaccounts', name: '' }
    expect(remedies).toEqual(verdict === 'clear' ? [] : [{ type: 'create', ...created, needs }])
  })

  test('of manifests are there, too, unless nobody may see those that are stored', () => {
    const [royal] = readManifests(
      'classes',
      '{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: royal}, value: 9}',
    )
    if (royal === undefined) throw new Error('there is no class')
    const names = (classes: Facts['classes']): unknown =>
      classes.get('priorityclasses.scheduling.k8s.io')?.map(({ metadata }) => metadata.name)
    expect(names(withPlannedClasses({ classes: KNOWN }, [royal]).classes)).toEqual(['usual', 'royal'])
    expect(names(withPlannedClasses({ classes: new Map() }, [royal]).classes)).toBeUndefined()
  })

  test('their overhead is named apart from containers', () => {
    const text = explanationText(
      planned(deployed('runtimeClassName: boxed, '), quotaOf('requests.cpu: "9"'), true),
      () => '',
    )
    expect(text).toContain('requests.cpu 250m = web 100m + others 150m (overhead of its RuntimeClass)')
  })
})
