package io.understudy.connection.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.base.Secret;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class Ed25519PasswordTest {
    private static final byte[] SCRAMBLE = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private static byte[] response(String password, byte[] scramble) throws AuthException {
        return AuthMethod.of("client_ed25519")
                .begin(new AuthContext(LoginSecret.of(Secret.parse(password)), scramble, false, false, null));
    }

    /** For a password of 32 bytes the method equals standard Ed25519, which the Java runtime implements. */
    @Test
    void aPasswordOfKeyLengthSignsAsTheJavaRuntimeDoes() throws Exception {
        String password = "a password that has 32 bytes....";
        PrivateKey key = KeyFactory.getInstance("Ed25519")
                .generatePrivate(new EdECPrivateKeySpec(
                        NamedParameterSpec.ED25519, password.getBytes(StandardCharsets.US_ASCII)));
        Signature signature = Signature.getInstance("Ed25519");
        signature.initSign(key);
        signature.update(SCRAMBLE);
        byte[] expected = signature.sign();
        assertThat(response(password, SCRAMBLE)).isEqualTo(expected);
        assertThat(response(password, Arrays.copyOf(SCRAMBLE, 33)))
                .as("a closing zero is no part of the scramble")
                .isEqualTo(expected);
    }

    @Test
    void otherLengthsSignAndAShortScrambleIsRefused() throws Exception {
        assertThat(response("secret", SCRAMBLE)).hasSize(64).isNotEqualTo(response("Secret", SCRAMBLE));
        assertThatThrownBy(() -> response("secret", new byte[20])).hasMessageContaining("20 bytes where 32 are due");
    }
}
