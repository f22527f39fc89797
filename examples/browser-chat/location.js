/** A tool that runs in the page: the agent gets what only the browser knows. The browser asks the user first. */
export const locationTools = {
  get_location: {
    description: "Where the user is now.",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    outputSchema: {
      type: "object",
      properties: {
        latitude: { type: "number" },
        longitude: { type: "number" },
        accuracy_m: { type: "number" },
      },
      required: ["latitude", "longitude", "accuracy_m"],
    },
    // What it throws is the error that the agent sees, such as that of a user who refuses.
    run: async () => {
      const { coords } = await new Promise((resolve, reject) =>
        navigator.geolocation.getCurrentPosition(resolve, ({ message }) => reject(new Error(message)), {
          timeout: 30_000,
        }),
      );
      return { latitude: coords.latitude, longitude: coords.longitude, accuracy_m: coords.accuracy };
    },
  },
};
