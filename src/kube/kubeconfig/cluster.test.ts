import '../../runtime/certificate/reflect-metadata.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { base64, config, errorOf, SECRET, withCluster } from '../../../test/kube/kubeconfig-files.ts'
import { makeAuthority } from '../../runtime/certificate/certificates.ts'
import type { KeyPair } from '../../runtime/certificate/check.ts'

let authority: KeyPair
beforeAll(async () => {
  authority = await makeAuthority(Date.now())
})

describe('clusters', () => {
  test.each([
    ['https://host:6443/', 'https://host:6443'],
    ['https://host/k8s/clusters/c-1/', 'https://host/k8s/clusters/c-1'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['localhost:8080', 'http://localhost:8080'],
    ['"[::1]:8080"', 'http://[::1]:8080'],
  ])('have the server %s', (server, expected) => {
    expect(withCluster(`server: ${server}`).server).toBe(expected)
  })

  test('without a scheme speak TLS when they say anything about it', () => {
    expect(withCluster('server: host:6443\ninsecure-skip-tls-verify: true').server).toBe('https://host:6443')
  })

  test('have an authority, a server name and a proxy', () => {
    const cluster = `server: https://10.0.0.1
certificate-authority-data: ${base64(authority.certificate)}
tls-server-name: api.example.com
proxy-url: http://user:${SECRET}@proxy:3128`
    expect(withCluster(cluster)).toMatchObject({
      authority: { text: authority.certificate },
      tlsServerName: 'api.example.com',
      proxyUrl: `http://user:${SECRET}@proxy:3128`,
    })
  })

  test('take the authority of the data before that of the file', () => {
    const cluster = `server: https://h
certificate-authority: /gone
certificate-authority-data: ${base64(authority.certificate)}`
    expect(withCluster(cluster).authority).toEqual({ text: authority.certificate })
  })

  test.each([
    ['server: ""', '/c:10:5: clusters[0].cluster.server: it is needed'],
    ['tls-server-name: x', '/c:9:3: clusters[0].cluster.server: it is needed'],
    ['server: ftp://host', '/c:10:5: clusters[0].cluster.server: it must begin with https:// or http://'],
    ['server: https://', '/c:10:5: clusters[0].cluster.server: must be a URL'],
    [
      `server: https://me:${SECRET}@host`,
      '/c:10:5: clusters[0].cluster.server: user and password belong to users[].user',
    ],
    ['server: https://host?x=1', '/c:10:5: clusters[0].cluster.server: it must end with the path'],
    ['server: 12', '/c:10:5: clusters[0].cluster.server: it must be a string (put it in quotes)'],
    [
      'server: https://h\ninsecure-skip-tls-verify: "yes"',
      '/c:11:5: clusters[0].cluster.insecure-skip-tls-verify: it must be true or false',
    ],
    [
      'server: https://h\ncertificate-authority: gone.crt',
      '/c:11:5: clusters[0].cluster.certificate-authority: cannot read /gone.crt: it does not exist',
    ],
    [
      'server: https://h\ncertificate-authority-data: "%%%"',
      '/c:11:5: clusters[0].cluster.certificate-authority-data: it is not base64',
    ],
    [
      `server: https://h\ncertificate-authority-data: ${base64('hello')}`,
      '/c:11:5: clusters[0].cluster.certificate-authority-data: it holds no certificate in PEM',
    ],
    [
      `server: https://h\nproxy-url: socks5://user:${SECRET}@proxy:1080`,
      '/c:11:5: clusters[0].cluster.proxy-url: socks5:// proxies are not supported, only http:// and https://',
    ],
    [`server: https://h\nproxy-url: "${SECRET}"`, '/c:11:5: clusters[0].cluster.proxy-url: must be a URL'],
  ])('that say %j are refused with the place', (cluster, message) => {
    expect(errorOf(config({ cluster })).message).toBe(message)
  })

  test('with an authority that is to be ignored are refused', () => {
    const cluster = `server: https://h\ncertificate-authority-data: ${base64(authority.certificate)}\ninsecure-skip-tls-verify: true`
    expect(errorOf(config({ cluster })).message).toContain('it contradicts insecure-skip-tls-verify')
  })
})
