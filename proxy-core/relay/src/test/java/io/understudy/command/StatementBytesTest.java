package io.understudy.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.command.settings.ServerSqlMode;
import io.understudy.plugin.ServerFlavor;
import io.understudy.protocol.Capabilities;
import io.understudy.sql.SqlAnalyzer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StatementBytesTest {
    static SessionModel model(long capabilities) {
        return new SessionModel(
                new SessionModel.Login(
                        1,
                        "u",
                        null,
                        45,
                        InetSocketAddress.createUnresolved("192.0.2.1", 1),
                        ServerFlavor.MYSQL,
                        "9",
                        1,
                        capabilities,
                        2,
                        new SessionModel.Client(false, null, Map.of(), () -> {})),
                new SqlAnalyzer(),
                1024,
                new ServerSqlMode(),
                new PipelineBudget(0),
                0);
    }

    private static boolean mayHoldSeveral(String payload) {
        StatementBytes statement = new StatementBytes(new SqlAnalyzer(), model(0));
        ByteBuf bytes = Unpooled.copiedBuffer(payload, StandardCharsets.ISO_8859_1);
        statement.open(bytes, 0, bytes.readableBytes());
        return statement.mayHoldSeveral();
    }

    @Test
    void severalStatementsAreSeparatedBySemicolons() {
        assertThat(mayHoldSeveral("\003SELECT 1;SET @a = 1")).isTrue();
        assertThat(mayHoldSeveral("\003SELECT ';' FROM t"))
                .as("needs the whole text")
                .isTrue();
        assertThat(mayHoldSeveral("\003SELECT 1")).isFalse();
        assertThat(mayHoldSeveral("\003SELECT 1;")).isFalse();
    }

    /** The buffer of a long statement must not be retained for the life of the event loop. */
    @Test
    void aLongStatementDoesNotRetainItsArray() {
        StatementBytes statement = new StatementBytes(new SqlAnalyzer(), model(0));
        ByteBuf bytes = Unpooled.directBuffer().writeByte(3).writeZero(4 << 20);
        statement.open(bytes, 0, bytes.readableBytes());
        assertThat(statement.mayHoldSeveral()).isFalse();
        assertThat(StatementBytes.SCRATCH.get()).hasSizeGreaterThan(4 << 20);
        statement.close();
        assertThat(StatementBytes.SCRATCH.get()).hasSizeLessThanOrEqualTo(StatementBytes.KEPT_SCRATCH);
        bytes.release();
    }

    private static String copied(long capabilities, String payload) {
        SessionModel model = model(capabilities);
        StatementBytes statement = new StatementBytes(new SqlAnalyzer(), model);
        ByteBuf bytes = Unpooled.copiedBuffer(payload, StandardCharsets.ISO_8859_1);
        ByteBuf out = Unpooled.buffer();
        statement.open(bytes, 0, bytes.readableBytes());
        assertThat(statement.copyPayload(out, null)).isTrue();
        statement.close();
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    @Test
    void aCopyHasNoQueryAttributes() {
        assertThat(copied(Capabilities.QUERY_ATTRIBUTES, "\003\000\001SELECT 1"))
                .isEqualTo("\003SELECT 1");
        // One attribute: null bitmap, new-params-bound flag, type VARCHAR, name "a", value "x".
        assertThat(copied(Capabilities.QUERY_ATTRIBUTES, "\003\001\001\000\001\375\000\001a\001xSELECT 1"))
                .isEqualTo("\003SELECT 1");
    }

    @Test
    void otherBytesAreCopiedUnchanged() {
        assertThat(copied(0, "\003SELECT 1")).isEqualTo("\003SELECT 1");
        assertThat(copied(Capabilities.QUERY_ATTRIBUTES, "\027\001\000\000\000\000\001\000\000\000"))
                .isEqualTo("\027\001\000\000\000\000\001\000\000\000");
    }
}
