package io.understudy.admin;

import java.util.Map;
import java.util.concurrent.CompletionStage;

/** An operator's action by POST. Runs on a worker thread of the endpoint; may block for some seconds. */
@FunctionalInterface
public interface AdminAction {

    /**
     * Runs the action and returns its result.
     *
     * @param parameters the values of the placeholders in the path, and the parameters of the query
     * @return the response body, as JSON
     * @throws IllegalArgumentException if a parameter names nothing known; its message is shown with status 400
     * @throws IllegalStateException if it cannot be done for now; its message is shown with status 503
     * @throws Exception if it fails; the message is shown with status 500
     */
    Object run(Map<String, String> parameters) throws Exception;

    /**
     * As {@link #run(Map)}, for actions that end with the connection that asked for them.
     *
     * @param gone completes when that connection has closed
     */
    default Object run(Map<String, String> parameters, CompletionStage<Void> gone) throws Exception {
        return run(parameters);
    }
}
