// Covers src/cli/doctor/read-webhooks.ts
import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { bareServers, forWorld } from '../../operator/operated.ts'
import { PoolWorld } from '../../operator/pool-objects.ts'
import { diagnosed } from './diagnosed.ts'

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'

interface Case {
  /** Left out: no Service. */
  readonly spec?: object
  /** The names of the ports that have a ready address. */
  readonly ready?: readonly string[]
  readonly called?: number
  /** What the doctor says; empty for nothing. */
  readonly said: string
  /** What API servers that find it out say to a request; left out where none of them does. */
  readonly answered?: RegExp
}

const HTTPS = { name: 'https', port: 443, targetPort: 8443 }
const NO_ENDPOINT = /no endpoints available for service/
const CASES: Readonly<Record<string, Case>> = {
  well: { spec: { ports: [HTTPS] }, ready: ['https'], said: '' },
  gone: { said: 'error does not exist', answered: /not found/ },
  portless: {
    spec: { ports: [HTTPS] },
    ready: ['https'],
    called: 9443,
    said: 'error has no port 9443 (it has 443)',
    answered: /no service port 9443 found/,
  },
  empty: { spec: { ports: [HTTPS] }, said: 'error has no address that is ready', answered: NO_ENDPOINT },
  other: {
    spec: { ports: [HTTPS, { name: 'metrics', port: 9090 }] },
    ready: ['metrics'],
    said: 'error has no address that is ready for port 443',
    answered: NO_ENDPOINT,
  },
  misnamed: {
    spec: { ports: [{ ...HTTPS, targetPort: 'tls' }], selector: { app: 'misnamed' } },
    said: 'error sends port 443 to "tls", and no container of its pods has a port of that name',
    answered: NO_ENDPOINT,
  },
  headless: {
    spec: { ports: [HTTPS], clusterIP: 'None' },
    ready: ['https'],
    said: 'warning is headless, and an API server reaches it only with --enable-aggregator-routing',
    answered: /cannot route to service with ClusterIP "None"/,
  },
  external: {
    spec: { type: 'ExternalName', externalName: 'hooks.example' },
    said: 'note is of type ExternalName, which an API server with --enable-aggregator-routing does not follow',
  },
}
/** An API server that goes to endpoints reaches what is headless; the other one does not ask which endpoints there are. */
const UNSEEN: readonly (readonly string[])[] = [['headless'], ['empty', 'other', 'misnamed']]

for (const [place, { name: server, available, start }] of bareServers.entries())
  describe.skipIf(!available)(`${server}: allot doctor and the Services of webhooks`, () => {
    const suite = forWorld(start, (one) => new PoolWorld(one))

    test('finds whatever keeps an API server from the Service of a webhook, as the API server does', async () => {
      const { world } = suite
      const namespace = 'called'
      await world.namespace(namespace)
      const of = (resource: string): string => `/api/v1/namespaces/${namespace}/${resource}`
      const pod = {
        metadata: { name: 'misnamed', labels: { app: 'misnamed' } },
        spec: { containers: [{ name: 'c', image: 'i', ports: [{ name: 'https', containerPort: 8443 }] }] },
      }
      // A new namespace has no service account yet.
      await eventually(
        () => suite.server.send('POST', of('pods'), pod),
        ({ status }) => status === 201,
        { what: 'the pod' },
      )
      for (const [name, { spec, ready = [] }] of Object.entries(CASES)) {
        if (spec !== undefined) await world.create(of('services'), { metadata: { name }, spec })
        if (ready.length > 0)
          await world.create(of('endpoints'), {
            metadata: { name },
            subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: ready.map((port) => ({ name: port, port: 8443 })) }],
          })
      }
      // Webhooks on what no quota counts are another's matter.
      await world.create(of('resourcequotas'), { metadata: { name: 'maps' }, spec: { hard: { configmaps: '100' } } })
      await world.create(CONFIGURATIONS, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'called-services' },
        webhooks: Object.entries(CASES).map(([name, { called }]) => ({
          name: `${name}.called.example`,
          failurePolicy: 'Fail',
          sideEffects: 'None',
          timeoutSeconds: 1,
          admissionReviewVersions: ['v1'],
          clientConfig: { service: { namespace, name, ...(called === undefined ? {} : { port: called }) } },
          objectSelector: { matchLabels: { asks: name } },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        })),
      })
      try {
        const { findings } = await diagnosed(suite.server.kubeconfig, '-n', namespace)
        const found = new Map(
          findings
            .filter(({ object }) => object.name === 'called-services')
            .map(({ part, severity, text }) => [
              part.split('.')[0] ?? '',
              `${severity} ${text.split(/Service \S+ /)[1] ?? ''}`,
            ]),
        )
        const said = Object.keys(CASES).map((name) => [name, found.get(name) ?? ''])
        expect(Object.fromEntries(said)).toEqual(
          Object.fromEntries(Object.entries(CASES).map(([name, one]) => [name, one.said])),
        )
        for (const [name, { answered }] of Object.entries(CASES)) {
          if (answered === undefined || UNSEEN[place]?.includes(name) === true) continue
          const asks = { metadata: { name: `asks-${name}`, labels: { asks: name } } }
          await eventually(
            async () =>
              JSON.stringify((await suite.server.send('POST', of('configmaps'), asks)).json).replaceAll('\\"', '"'),
            (text) => answered.test(text),
            { what: `what the API server says of ${name}` },
          )
        }
      } finally {
        await world.delete(`${CONFIGURATIONS}/called-services`)
      }
    })
  })
