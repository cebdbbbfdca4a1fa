import { request } from 'node:https'
import { request as plainRequest } from 'node:http'
import { expect, test } from 'vitest'
import { apiServer } from '../api-server.ts'

const api = apiServer()

/** Asks for a path to the letter: `fetch` would follow its dots. */
async function ask(path: string): Promise<string> {
  const { url, token } = api.running
  const { protocol, hostname, port } = new URL(url)
  const send = protocol === 'https:' ? request : plainRequest
  return await new Promise((resolve, reject) => {
    send({ hostname, port, path, headers: { authorization: `Bearer ${token}` } }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () => {
        const { message = '', kind = Object.keys(JSON.parse(text))[0] } = JSON.parse(text)
        resolve(`${response.statusCode} ${message || kind}`)
      })
    })
      .on('error', reject)
      .end()
  })
}

const MAPS = '/api/v1/namespaces/default/configmaps'
const UNKNOWN = '404 the server could not find the requested resource'

test.each([
  [`${MAPS}/%2e%2e`, `400 Name parameter invalid: "..": may not be '..'`],
  [`${MAPS}/%2E`, `400 Name parameter invalid: ".": may not be '.'`],
  [`${MAPS}/a%25b`, `400 Name parameter invalid: "a%b": may not contain '%'`],
  [`${MAPS}/a%2fb`, UNKNOWN],
  [`${MAPS}/%2f`, '200 ConfigMapList'],
  ['/api/v1/namespaces/a%2fb/configmaps', UNKNOWN],
  ['/api/v1/namespaces/%2e%2e', `400 Name parameter invalid: "..": may not be '..'`],
  ['/api/v1/nodes/%2e%2e/status', `400 Name parameter invalid: "..": may not be '..'`],
  ['//api/v1', '404 paths'],
  ['/api//v1', UNKNOWN],
])('%s is answered with %s', async (path, answer) => {
  expect(await ask(path)).toBe(answer)
})
