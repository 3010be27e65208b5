package io.understudy.replay;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.HashedResult;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ResultHash;
import io.understudy.plugin.ServerResponse;
import io.understudy.replay.log.LogEvent;
import io.understudy.sql.SqlAnalyzer;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The response to a statement: measured, compared with the captured one, and dropped. */
final class PlayedResponse implements ServerResponse {
    /** The next step, on the connection's own loop. */
    interface End {
        void over(DueStatement statement);

        void lost(DueStatement statement);
    }

    private final long sentNanos = System.nanoTime();
    private final Playing playing;
    private final DueStatement statement;
    private final SqlAnalyzer analyzer;
    private final Consumer<Runnable> loop;
    private final End end;
    /** Null if the log does not have the result's hash. */
    private final @Nullable ResultHash hash;

    /** @param analyzer used on the loop alone */
    PlayedResponse(Playing playing, DueStatement statement, SqlAnalyzer analyzer, Consumer<Runnable> loop, End end) {
        this.playing = playing;
        this.statement = statement;
        this.analyzer = analyzer;
        this.loop = loop;
        this.end = end;
        this.hash = statement.event().result() == null ? null : new ResultHash(ResultHash.CAPTURED_BYTES);
    }

    @Override
    public int rowBytes() {
        return hash == null ? 0 : hash.rowBytes();
    }

    @Override
    public void onRow(ByteBuf buf, int index, int shown, int length) {
        ResultHash running = hash;
        if (running != null) {
            running.onRow(buf, index, shown, length);
        }
    }

    @Override
    public void onResponse(ResponseView response, int preparedId) {
        boolean ok = response.ok();
        int error = response.errorCode();
        long rows = response.rows();
        long nanos = response.lastByteNanos() - sentNanos;
        playing.progress()
                .answered(statement.session(), statement.position(), !playing.readsOnly() && response.inTransaction());
        loop.accept(() -> {
            if (ok) {
                playing.figures().succeeded(nanos, rows);
                compare(rows);
            } else {
                playing.figures().failed(nanos, error);
            }
            end.over(statement);
        });
    }

    private void compare(long rows) {
        LogEvent event = statement.event();
        HashedResult captured = event.result();
        ResultHash running = hash;
        if (captured != null && running != null) {
            HashedResult.Relation relation = captured.to(running.result(rows));
            playing.figures().result(relation, relation == HashedResult.Relation.DIFFERENT ? digest(event) : "");
        }
    }

    private String digest(LogEvent event) {
        byte[] text = event.text();
        return String.format(Locale.ROOT, "%016x", analyzer.digest(text, 0, text.length, new EventModes().of(event)));
    }

    @Override
    public void onFailure(String reason) {
        loop.accept(() -> end.lost(statement));
    }
}
