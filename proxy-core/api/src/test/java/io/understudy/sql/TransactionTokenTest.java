package io.understudy.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TransactionTokenTest {
    private static @Nullable String in(String text) {
        byte[] bytes = ("??" + text + "??").getBytes(StandardCharsets.UTF_8);
        return TransactionToken.in(bytes, 2, bytes.length - 2);
    }

    @Test
    void isReadFromACommentAtEitherEnd() {
        assertThat(in("/* understudy:txn=a.B_9:x-1 */ COMMIT")).isEqualTo("a.B_9:x-1");
        assertThat(in(" \n/*understudy:txn=1*/COMMIT")).isEqualTo("1");
        assertThat(in("COMMIT /* understudy:txn=1 */ ;\n")).isEqualTo("1");
        assertThat(in("/*a=1*/ /* understudy:txn=1 */ INSERT INTO t VALUES (1)"))
                .isEqualTo("1");
        assertThat(in("COMMIT /* understudy:txn=1 */ /*traceparent='00'*/")).isEqualTo("1");
        assertThat(in("/* understudy:txn=first */ COMMIT /* understudy:txn=last */"))
                .isEqualTo("first");
        assertThat(in("/* understudy:txn=" + "x".repeat(64) + " */ DO 1")).hasSize(64);
    }

    @Test
    void anythingElseIsNone() {
        for (String text : new String[] {
            "",
            "/",
            "*/",
            "/*",
            "/*/",
            "/**/",
            "COMMIT",
            "/* understudy:txn= */ COMMIT",
            "/* understudy:txn=a b */ COMMIT",
            "/* understudy:txn=é */ COMMIT",
            "/* understudy:txn=" + "x".repeat(65) + " */ COMMIT",
            "/* x understudy:txn=1 */ COMMIT",
            "/*+ understudy:txn=1 */ COMMIT",
            "/* understudy:txn=1 COMMIT",
            "understudy:txn=1 */",
            "INSERT INTO t VALUES ('/* understudy:txn=1 */')",
            "SELECT /* understudy:txn=1 */ 1",
            "SELECT '/* understudy:txn=1 */' /* c */"
        }) {
            assertThat(in(text)).as(text).isNull();
        }
    }
}
