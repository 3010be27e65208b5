package io.understudy.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.connection.auth.LoginSecret.NativeKey;
import io.understudy.handshake.LoginProof.NativeResponse;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class NativeKeysTest {
    /** {@code SHA1('secret')}, and {@code PASSWORD('secret')} as MariaDB 10.11 has it. */
    private static final String KEY = "e5e9fa1ba31ecd1ae84f75caaa474f3a663f05f4";

    private static final String HASH = "*14E65567ABDB5135D0CFD9A70B3032C179A49EE7";
    private static final String OF_ANOTHER_HOST = "*F33AE6DD04EF4C7C1D3105568E7FB7C1EE16C937";
    private static final byte[] SCRAMBLE = HexFormat.of().parseHex("3132333435363738393031323334353637383930");

    /** KEY XOR SHA1(SCRAMBLE, HASH). */
    private static NativeResponse response() throws Exception {
        var digest = java.security.MessageDigest.getInstance("SHA-1");
        digest.update(SCRAMBLE);
        byte[] response = digest.digest(HexFormat.of().parseHex(HASH.substring(1)));
        byte[] key = HexFormat.of().parseHex(KEY);
        for (int i = 0; i < response.length; i++) {
            response[i] ^= key[i];
        }
        return new NativeResponse(SCRAMBLE, response);
    }

    @Test
    void theHashThatTheResponseWasMadeWithGivesTheKey() throws Exception {
        List<byte[]> stored = NativeKeys.stored("{\"plugin\":\"mysql_native_password\",\"authentication_string\":\""
                + OF_ANOTHER_HOST + "\",\"auth_or\":[{\"plugin\":\"mysql_native_password\","
                + "\"authentication_string\":\"" + HASH + "\"},{}]}");
        assertThat(stored).hasSize(2);
        NativeKey key = NativeKeys.find(response(), stored);
        assertThat(key).isNotNull();
        assertThat(HexFormat.of().formatHex(key.sha1OfPassword())).isEqualTo(KEY);
    }

    @Test
    void noOtherHashGivesOne() throws Exception {
        assertThat(NativeKeys.find(response(), NativeKeys.stored(OF_ANOTHER_HOST)))
                .isNull();
        assertThat(NativeKeys.find(response(), List.of())).isNull();
        NativeResponse wrong = response();
        wrong.response()[19] ^= 1;
        assertThat(NativeKeys.find(wrong, NativeKeys.stored(HASH))).isNull();
        assertThat(NativeKeys.stored("invalid *14E65567 $A$005$…")).isEmpty();
    }
}
