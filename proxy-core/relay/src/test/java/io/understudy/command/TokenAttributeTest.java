package io.understudy.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.command.prepared.PreparedEntry;
import io.understudy.command.prepared.PreparedEntry.Preparation;
import io.understudy.command.prepared.PreparedStatements;
import io.understudy.command.prepared.TextPrepared;
import io.understudy.command.settings.SqlModeSetting;
import io.understudy.protocol.Capabilities;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementKind;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TokenAttributeTest {
    private static final Preparation PREPARATION = new Preparation("shop", null, SqlModeSetting.literal(""), true);

    private static @Nullable String of(String payload, @Nullable PreparedEntry prepared) {
        StatementBytes statement =
                new StatementBytes(new SqlAnalyzer(), StatementBytesTest.model(Capabilities.QUERY_ATTRIBUTES));
        ByteBuf bytes = Unpooled.copiedBuffer(payload, StandardCharsets.ISO_8859_1);
        statement.open(bytes, 0, bytes.readableBytes());
        return statement.token(prepared);
    }

    @Test
    void isReadFromAQueryAttribute() {
        String attributes = "\003\002\001\000\001\003\000\001n\375\000\016understudy_txn\007\000\000\000";
        assertThat(of(attributes + "\004ab-1COMMIT", null)).isEqualTo("ab-1");
        assertThat(of(attributes + "\004ab 1COMMIT", null)).isNull();
        assertThat(of(attributes + "\377ab-1COMMIT", null)).isNull();
        assertThat(of("\003\000\001COMMIT/* understudy:txn=t */", null)).isEqualTo("t");
        assertThat(of("\003\001\001\001\001\375\000\016understudy_txnCOMMIT", null))
                .as("NULL")
                .isNull();
        assertThat(of("\003\001\001\000\001\003\000\016understudy_txn\007\000\000\000COMMIT", null))
                .as("a number")
                .isNull();
    }

    private static PreparedEntry prepared(String text) {
        PreparedEntry entry = new PreparedEntry(
                StatementKind.INSERT, null, text.getBytes(StandardCharsets.UTF_8), 0, PREPARATION, new SqlAnalyzer());
        new PreparedStatements(() -> PREPARATION, () -> new TextPrepared(new SqlAnalyzer(), false))
                .prepared(entry, 1, 1);
        return entry;
    }

    @Test
    void isReadFromAnExecution() {
        PreparedEntry plain = prepared("INSERT INTO t VALUES (?)");
        String execution = "\027\001\000\000\000\010\001\000\000\000\002\000\001\003\000\000\375\000\016understudy_txn"
                + "\007\000\000\000";
        assertThat(of(execution + "\004ab-1", plain)).isEqualTo("ab-1");
        assertThat(of(execution + "\005ab-1", plain)).as("cut off").isNull();
        assertThat(of("\027\001\000\000\000\000\001\000\000\000\001\000\001\003\000\000\007\000\000\000", plain))
                .isNull();
        assertThat(of(execution + "\004ab-1", prepared("INSERT INTO t VALUES (?) /* understudy:txn=t */")))
                .isEqualTo("ab-1");
        assertThat(of(
                        "\027\001\000\000\000\000\001\000\000\000",
                        prepared("INSERT INTO t VALUES (?) /* understudy:txn=t */")))
                .isEqualTo("t");
    }
}
