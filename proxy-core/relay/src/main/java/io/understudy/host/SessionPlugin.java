package io.understudy.host;

import io.understudy.plugin.Interest;
import io.understudy.plugin.SessionObserver;
import java.util.List;

/**
 * A plugin's observer of one session.
 *
 * @param id the plugin's
 * @param interests bits of {@link Interest}, asked once
 */
public record SessionPlugin(String id, SessionObserver observer, int interests) {
    /** Returns all observers' bits together. */
    public static int interests(List<SessionPlugin> plugins) {
        int all = Interest.NONE;
        for (SessionPlugin plugin : plugins) {
            all |= plugin.interests();
        }
        return all;
    }
}
