/** A tool that this page runs for the agent. */
export const LOCATION_TOOL = {
  name: "get_location",
  description: "Where the user is, from their browser. The user may refuse.",
  input_schema: { type: "object", properties: {} },
};

export const getLocation = () =>
  new Promise((resolve, reject) =>
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude } }) => resolve({ latitude, longitude }),
      ({ message }) => reject(new Error(message)),
    ),
  );
