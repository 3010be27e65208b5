package io.understudy.host;

import io.understudy.plugin.Interest;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugin.SessionVariable;
import java.util.List;

/**
 * A plugin's observer of one session.
 *
 * @param id the plugin's
 * @param interests bits of {@link Interest}, asked once
 * @param variables those that the observer sets, asked once
 */
public record SessionPlugin(String id, SessionObserver observer, int interests, List<SessionVariable> variables) {
    /** Returns all observers' bits together. */
    public static int interests(List<SessionPlugin> plugins) {
        int all = Interest.NONE;
        for (SessionPlugin plugin : plugins) {
            all |= plugin.interests();
        }
        return all;
    }
}
