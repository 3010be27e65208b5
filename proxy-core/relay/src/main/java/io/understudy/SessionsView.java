package io.understudy;

import io.understudy.session.ClientSession;
import io.understudy.session.SessionRegistry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Content of {@code /api/sessions}: the connected clients, at most a thousand, without SQL text. */
final class SessionsView {
    private static final int LIMIT = 1000;

    private SessionsView() {}

    static Map<String, Object> of(SessionRegistry registry) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (ClientSession session : registry.all()) {
            if (rows.size() == LIMIT) {
                break;
            }
            rows.add(session.view());
        }
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("count", registry.count());
        view.put("limit", registry.limit());
        view.put("draining", registry.draining());
        view.put("sessions", rows);
        return view;
    }
}
