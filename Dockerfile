# The image of a release for those who build with a registry: of an archive that `make dist` made, beside Debian's libraries.
# `make image` makes the image without a daemon, and the same bytes each time.
#
#   make dist && docker build --build-arg ARCHIVE=dist/allot-0.1.0-linux-x64.tar.gz --tag allot:0.1.0 .
FROM debian:12-slim AS parts
ARG ARCHIVE
RUN apt-get update && apt-get install --yes --no-install-recommends libatomic1 libstdc++6
ADD ${ARCHIVE} /unpacked/
RUN mv /unpacked/* /allot && mkdir -p /root-of-image/usr/local/bin /root-of-image/etc/ssl/certs \
 && mv /allot/node /root-of-image/usr/local/bin/node && rm /allot/allot && mv /allot /root-of-image/allot \
 && ldd /root-of-image/usr/local/bin/node | grep -o '/[^ ]*\.so[^ ]*' | xargs cp --parents --dereference --target-directory=/root-of-image \
 && for package in libatomic1 libc6 libgcc-s1 libstdc++6; do cp --parents -L /usr/share/doc/$package/copyright /root-of-image; done \
 && printf 'root:x:0:0:root:/:/none\nallot:x:65532:65532:allot:/:/none\n' > /root-of-image/etc/passwd \
 && printf 'root:x:0:\nallot:x:65532:\n' > /root-of-image/etc/group \
 && printf 'hosts: files dns\n' > /root-of-image/etc/nsswitch.conf \
 && mkdir -m 1777 /root-of-image/tmp

FROM scratch
COPY --from=parts /root-of-image/ /
USER 65532:65532
ENV PATH=/usr/local/bin
ENTRYPOINT ["/usr/local/bin/node", "/allot/bin/allot.js"]
