package io.understudy.replay;

import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerResponse;
import java.util.function.Consumer;

/** The response to a command that prepares a statement's session. Its outcome is told on the connection's own loop. */
final class LoopResponse implements ServerResponse {
    /** Takes an outcome. */
    interface Outcome {
        /**
         * Called once, when the response is complete.
         *
         * @param error number, or 0
         */
        void done(int error, int preparedId);
    }

    private final Consumer<Runnable> loop;
    private final Outcome outcome;
    private final Runnable lost;

    LoopResponse(Consumer<Runnable> loop, Outcome outcome, Runnable lost) {
        this.loop = loop;
        this.outcome = outcome;
        this.lost = lost;
    }

    @Override
    public void onResponse(ResponseView response, int preparedId) {
        int error = response.errorCode();
        loop.accept(() -> outcome.done(error, preparedId));
    }

    @Override
    public void onFailure(String reason) {
        loop.accept(lost);
    }
}
