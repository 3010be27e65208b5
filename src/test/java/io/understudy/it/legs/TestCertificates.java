package io.understudy.it.legs;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A certificate authority with a certificate for 127.0.0.1 and one for a client, and a certificate of another
 * authority, as PEM files.
 */
final class TestCertificates {
    final Path ca;
    final Path certificate;
    final Path key;
    final Path clientCertificate;
    final Path clientKey;
    final Path strangerCa;

    TestCertificates(Path folder) throws Exception {
        X509Bundle root = authority("Understudy test authority");
        ca = write(folder, "ca.pem", root.getCertificatePEM());
        X509Bundle server = new CertificateBuilder()
                .ecp256()
                .subject("CN=127.0.0.1")
                .addSanDnsName("localhost")
                .addSanIpAddress("127.0.0.1")
                .addSanIpAddress("127.0.0.2")
                .buildIssuedBy(root);
        certificate = write(folder, "server.pem", server.getCertificatePEM());
        key = write(folder, "server.key", server.getPrivateKeyPEM());
        X509Bundle client =
                new CertificateBuilder().ecp256().subject("CN=application").buildIssuedBy(root);
        clientCertificate = write(folder, "client.pem", client.getCertificatePEM());
        clientKey = write(folder, "client.key", client.getPrivateKeyPEM());
        strangerCa = write(folder, "stranger.pem", authority("Somebody else").getCertificatePEM());
    }

    static X509Bundle authority(String name) throws Exception {
        return new CertificateBuilder()
                .ecp256()
                .subject("CN=" + name)
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }

    private static Path write(Path folder, String name, String pem) throws IOException {
        return Files.writeString(folder.resolve(name), pem);
    }
}
