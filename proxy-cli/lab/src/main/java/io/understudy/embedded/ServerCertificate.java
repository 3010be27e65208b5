package io.understudy.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/**
 * A self-signed certificate shared by all embedded servers of one user. Without it each server creates its own at every
 * start, which takes 3 of 3.2 seconds. Used only under the lock of {@link ServerBinaries}.
 */
final class ServerCertificate {

    private static final String ALIAS = "server";
    /** Protects nothing: the tool requires a password, but the store is deleted at once and its folder is private. */
    private static final String STORE_PASSWORD = "changeit";

    private static final long SECONDS = 60;

    private final Path certificate;
    private final Path key;

    ServerCertificate(Path cache) {
        certificate = cache.resolve("tls.crt");
        key = cache.resolve("tls.key");
    }

    /** Returns the certificate (PEM). */
    Path certificate() {
        return certificate;
    }

    /** Returns the private key (PEM, unencrypted). */
    Path key() {
        return key;
    }

    void makeIfMissing() throws IOException {
        if (Files.exists(certificate) && Files.exists(key)) {
            return;
        }
        Path store = key.resolveSibling("tls.p12");
        Files.deleteIfExists(store);
        try {
            generate(store);
            KeyStore keys = KeyStore.getInstance(store.toFile(), STORE_PASSWORD.toCharArray());
            writePem(
                    key,
                    "PRIVATE KEY",
                    keys.getKey(ALIAS, STORE_PASSWORD.toCharArray()).getEncoded());
            writePem(certificate, "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IOException("cannot make the servers' certificate: " + e.getMessage(), e);
        } finally {
            Files.deleteIfExists(store);
        }
    }

    private static void generate(Path store) throws IOException {
        Path log = store.resolveSibling("keytool.log");
        // The JDK has no public API that signs a certificate, only this program.
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "RSA",
                        "-keysize",
                        "2048",
                        "-dname",
                        "CN=understudy embedded server",
                        "-ext",
                        "SAN=dns:localhost,ip:127.0.0.1",
                        "-validity",
                        "3650",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        STORE_PASSWORD)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            if (!keytool.waitFor(SECONDS, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
                throw new IOException("keytool made no certificate: " + ServerProcess.tail(log));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while keytool ran", e);
        } finally {
            keytool.destroyForcibly();
        }
    }

    private static void writePem(Path file, String label, byte[] der) throws IOException {
        Path partial = file.resolveSibling(file.getFileName() + ".part");
        Files.writeString(
                partial,
                "-----BEGIN " + label + "-----\n"
                        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + label
                        + "-----\n");
        Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }
}
