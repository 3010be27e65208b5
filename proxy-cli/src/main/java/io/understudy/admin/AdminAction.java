package io.understudy.admin;

import java.util.Map;

/** Something an operator may have done by POST. Runs on a worker of the endpoint and may block for some seconds. */
@FunctionalInterface
public interface AdminAction {

    /**
     * Does it, and returns what came of it.
     *
     * @param parameters the values of the placeholders in the path, and the parameters of the query
     * @return what to answer as JSON
     * @throws IllegalArgumentException if a parameter names nothing known; its message is shown with status 400
     * @throws Exception if it fails; the message is shown with status 500
     */
    Object run(Map<String, String> parameters) throws Exception;
}
